/** `?embed=1`: the page shows the player and nothing else. */

const STYLE = `
  [data-testid="stHeader"], [data-testid="stToolbar"], .st-key-around, .st-key-shell { display: none !important; }
  [data-testid="stMainBlockContainer"] { padding: 0.5rem !important; max-width: none !important; }
`;

/** @param {boolean} embedded @param {AbortSignal} ending */
export function embed(embedded, ending) {
  if (!embedded) return;
  const style = document.createElement("style");
  style.textContent = STYLE;
  document.head.append(style);
  ending.addEventListener("abort", () => style.remove());
}
