// Sends a beat every few seconds while the tab is visible, and one when it becomes visible again.

/** @param {{data: {seconds: number}, setTriggerValue: (name: string, value: unknown) => void}} component */
export default function pulse({ data, setTriggerValue }) {
  let last = Date.now();
  const beat = () => {
    if (document.hidden || Date.now() - last < 500 * data.seconds) return;
    last = Date.now();
    setTriggerValue("beat", last);
  };
  const timer = setInterval(beat, 1000 * data.seconds);
  document.addEventListener("visibilitychange", beat);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", beat);
  };
}
