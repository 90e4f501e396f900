/** Elements, made with their attributes and children in one call. */

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string|number|boolean|null|undefined>} [attributes] `true` sets an empty
 *   attribute; false, null and undefined set none.
 * @param {...(Node|string)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== null && value !== undefined && value !== false)
      made.setAttribute(key, value === true ? "" : String(value));
  made.append(...children);
  return made;
}

/** @param {string} kind @param {string} title @param {string} sign @param {() => void} act */
export function button(kind, title, sign, act) {
  const made = element("button", { type: "button", class: kind, title, "aria-label": title }, sign);
  made.addEventListener("click", act);
  return made;
}

/** Icons, drawn: not every font has these signs. @type {Record<string, string>} */
const ICONS = {
  first: "M4 5v14h2.5V5zM20 5 8 12l12 7z",
  roundBack: "M12 5 2 12l10 7zM22 5 12 12l10 7z",
  back: "M17 5 6 12l11 7z",
  play: "M6 4v16l14-8z",
  pause: "M6 4h4.5v16H6zM13.5 4H18v16h-4.5z",
  on: "M7 5v14l11-7z",
  roundOn: "M2 5v14l10-7zM12 5v14l10-7z",
  last: "M17.5 5v14H20V5zM4 5v14l12-7z",
  loop: "M12 4V1L7.5 5.2 12 9.5V6.4a5.6 5.6 0 1 1-5.6 5.6H4a8 8 0 1 0 8-8z",
};

/** A button with an icon. @param {string} title @param {string} icon @param {() => void} act */
export function iconButton(title, icon, act) {
  const made = button("control", title, "", act);
  setIcon(made, icon);
  return made;
}

/** @param {HTMLElement} place @param {string} icon */
export function setIcon(place, icon) {
  place.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[icon]}"/></svg>`;
}

/** An empty SVG element; its content is set as markup. @param {string} kind */
export function picture(kind) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  made.setAttribute("class", kind);
  return made;
}
