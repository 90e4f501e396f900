/** A picture file of the moment: the table's SVG with its styles written into it. */

import { at, label, tag, text } from "./svg.js";
import { viewpointName } from "./words.js";

/** @typedef {import("./types.js").Match} Match */

const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "font-size",
  "font-weight",
  "font-family",
];
const MARGIN = 16;
const CAPTION = 54;
const SCALE = 2;

/** @param {SVGSVGElement} table @param {Match} match @param {number} index @param {"svg"|"png"} kind */
export async function saveStill(table, match, index, kind) {
  const frame = match.frames[index];
  const { markup, width, height } = stillOf(table, match, index);
  const name = `bluff-arena-${match.match.slice(0, 8)}-${frame.step}.${kind}`;
  const svg = new Blob([markup], { type: "image/svg+xml" });
  save(kind === "svg" ? svg : await rastered(svg, width, height), name);
}

/** @param {SVGSVGElement} table @param {Match} match @param {number} index */
export function stillOf(table, match, index) {
  const frame = match.frames[index];
  const box = table.viewBox.baseVal;
  const width = box.width + 2 * MARGIN;
  const height = box.height + CAPTION + 2 * MARGIN;
  const copy = /** @type {SVGSVGElement} */ (table.cloneNode(true));
  const copies = [...copy.querySelectorAll("*")];
  for (const [place, original] of [...table.querySelectorAll("*")].entries()) {
    const style = getComputedStyle(original);
    const written = STYLES.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";");
    copies[place].setAttribute("style", written);
    copies[place].removeAttribute("class");
  }
  const page = getComputedStyle(/** @type {Element} */ (table.closest(".player")));
  const font = page.fontFamily.replaceAll('"', "'");
  const seen = viewpointName(match.view, match.names);
  const told = frame.told.join(" ");
  const caption = text([
    at(
      MARGIN,
      MARGIN,
      tag(
        "g",
        { style: `fill:${page.color};font-family:${font}` },
        tag(
          "g",
          { style: "font-size:16px;font-weight:600" },
          label(
            "",
            0,
            14,
            `${match.title}: ${match.names.join(" – ")} · step ${frame.step}, seen by ${seen}`,
          ),
        ),
        tag(
          "g",
          { style: "font-size:13px" },
          label("", 0, 36, told.length > 120 ? `${told.slice(0, 119)}…` : told),
        ),
      ),
    ),
  ]);
  const background = tag("rect", {
    width,
    height,
    fill: page.getPropertyValue("--page").trim() || "#fff",
  });
  const markup = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${text(background)}${caption}<g transform="translate(${MARGIN} ${MARGIN + CAPTION})">${copy.innerHTML}</g></svg>`;
  return { markup, width, height };
}

/** @param {Blob} svg @param {number} width @param {number} height @returns {Promise<Blob>} */
async function rastered(svg, width, height) {
  const url = URL.createObjectURL(svg);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * SCALE;
    canvas.height = height * SCALE;
    const context = canvas.getContext("2d");
    if (!context) throw new Error("no canvas");
    context.scale(SCALE, SCALE);
    context.drawImage(image, 0, 0);
    return await new Promise((done, failed) =>
      canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no picture"))), "image/png"),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
