"""Rewrites every playthrough: python -m tests.playthroughs.write"""

from tests.playthroughs.recording import PLAYTHROUGHS, recorded


def main() -> None:
    for playthrough in PLAYTHROUGHS:
        playthrough.path.write_text(recorded(playthrough), encoding="utf-8")


if __name__ == "__main__":
    main()
