// What every page needs: links that do not reload the app, times of the visitor's zone, the theme.

/** Streamlit's own links to pages, at each width of the window. */
const MENU = "[data-testid=stTopNavLink], [data-testid=stTopNavDropdownLink], [data-testid=stSidebarNavLink]";

/**
 * A click on a link to another of our pages changes the address as the browser's Back does, and
 * Streamlit follows that. Anything but a plain click stays with the browser. Inside another site's
 * frame there is the player and nothing else: other pages get a tab.
 *
 * The menu's links are Streamlit's affair, but for the one of the page that is shown: Streamlit
 * would keep that page's query, and so its bot, tournament or filters.
 * @param {MouseEvent} event
 * @param {string} root the path under which all pages are
 * @param {string[]} paths the paths of all pages
 */
function follow(event, root, paths) {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey) return;
  if (event.shiftKey || event.altKey) return;
  const link = event.composedPath().find((one) => one instanceof HTMLAnchorElement);
  if (!link || link.target === "_blank" || link.hasAttribute("download") || link.hash) return;
  if (link.origin !== location.origin || !link.pathname.startsWith(root)) return;
  if (!paths.includes(link.pathname.slice(root.length))) return;
  const inMenu = link.closest(MENU);
  if (inMenu && link.pathname !== location.pathname) return;
  event.preventDefault();
  // Streamlit, which listens further inside, would follow the menu's link as well.
  if (inMenu) event.stopPropagation();
  if (isEmbedded(location.search) && !isEmbedded(link.search)) {
    window.open(link.href, "_blank", "noopener");
    return;
  }
  if (link.href !== location.href) history.pushState({}, "", link.href);
  window.dispatchEvent(new PopStateEvent("popstate"));
  window.scrollTo(0, 0);
  document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
}

/** Whether an address is that of a page inside another one. @param {string} search */
const isEmbedded = (search) => new URLSearchParams(search).get("embed") === "1";

/**
 * On a phone the menu is a drawer over the page: it closes when a page was chosen.
 * @param {MouseEvent} event
 */
function closeDrawer(event) {
  const chosen = event.target instanceof Element && event.target.closest("[data-testid=stSidebarNavLink]");
  if (!chosen || !matchMedia("(max-width: 767px)").matches) return;
  const button = document.querySelector("[data-testid=stSidebarCollapseButton] button");
  if (button instanceof HTMLElement) button.click();
}

/**
 * The button beside a command copies it.
 * @param {MouseEvent} event
 */
async function copyCommand(event) {
  const button = event.target instanceof Element && event.target.closest(".ba-command button");
  if (!button) return;
  const line = button.parentElement?.querySelector("code")?.textContent ?? "";
  try {
    await navigator.clipboard.writeText(line);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Press Ctrl+C";
    const code = button.parentElement?.querySelector("code");
    if (code) getSelection()?.selectAllChildren(code);
  }
}

const UNITS = /** @type {const} */ ([
  ["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60],
]);

/** @param {Date} then */
export function relative(then, now = new Date()) {
  const seconds = (then.getTime() - now.getTime()) / 1000;
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return words.format(Math.trunc(seconds / length), unit);
  }
  return "just now";
}

/** Writes every time as local, with the relative one beside it and UTC as its title. */
function localTimes() {
  const local = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  for (const time of /** @type {NodeListOf<HTMLTimeElement>} */ (
    document.querySelectorAll("time[datetime]")
  )) {
    const then = new Date(time.dateTime);
    if (Number.isNaN(then.getTime())) continue;
    const words = `${local.format(then)} · ${relative(then)}`;
    // Writing the same text would wake the observer again.
    if (time.textContent !== words) time.textContent = words;
    const utc = `${then.toISOString().slice(0, 19).replace("T", " ")} UTC`;
    if (time.title !== utc) time.title = utc;
  }
}

const THEMES = ["System", "Light", "Dark"];

/** Streamlit remembers a theme for each path, so it is written for all of them.
 * @param {string} root @param {string[]} paths */
function themeSwitch(root, paths) {
  /** @param {string} path */
  const key = (path) => `stActiveTheme-${root}${path}-v2`;
  const now = JSON.parse(localStorage.getItem(key("")) ?? '"System"');
  const box = document.createElement("label");
  box.className = "ba-theme";
  box.textContent = "Theme ";
  const choice = document.createElement("select");
  choice.append(...THEMES.map((name) => new Option(name, name, false, name === now)));
  choice.addEventListener("change", () => {
    for (const path of ["", ...paths]) {
      if (choice.value === "System") localStorage.removeItem(key(path));
      else localStorage.setItem(key(path), JSON.stringify(choice.value));
    }
    location.reload();
  });
  box.append(choice);
  return box;
}

/**
 * @param {{data: [{paths: string[]}], parentElement: HTMLElement}} component
 */
export default function shell({ data: [{ paths }], parentElement }) {
  const page = paths.find((path) => path && location.pathname.endsWith(`/${path}`)) ?? "";
  const root = location.pathname.slice(0, location.pathname.length - page.length);
  /** @param {MouseEvent} event */
  const click = (event) => follow(event, root, paths);
  document.addEventListener("click", click, true);
  document.addEventListener("click", closeDrawer, true);
  document.addEventListener("click", copyCommand);
  localTimes();
  const observer = new MutationObserver(localTimes);
  observer.observe(document.body, { childList: true, subtree: true });
  const timer = setInterval(() => document.hidden || localTimes(), 20000);
  // A page embedded in another has that one's surroundings.
  document.body.classList.toggle("ba-embedded", isEmbedded(location.search));
  if (!isEmbedded(location.search) && !parentElement.querySelector(".ba-theme")) {
    parentElement.append(themeSwitch(root, paths));
  }
  return () => {
    document.removeEventListener("click", click, true);
    document.removeEventListener("click", closeDrawer, true);
    document.removeEventListener("click", copyCommand);
    observer.disconnect();
    clearInterval(timer);
  };
}
