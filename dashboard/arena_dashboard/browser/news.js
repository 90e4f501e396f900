// Holds a stream of news open while the tab is visible; at each the page runs again.

/**
 * @typedef {{data: {page: string}, parentElement: HTMLElement,
 *   setTriggerValue: (name: string, value: unknown) => void}} Component
 */

class Stream {
  /** @param {string} page */
  constructor(page) {
    this.page = page;
    /** @type {EventSource | null} */
    this.source = null;
    this.tell = () => {};
    this.turn = () => (document.hidden ? this.shut() : this.open());
    document.addEventListener("visibilitychange", this.turn);
  }

  open() {
    if (this.source) return;
    const root = location.pathname.replace(/[^/]*$/, "");
    const source = (this.source = new EventSource(`${root}news/${this.page}`));
    source.addEventListener("message", ({ data }) => {
      if (data === "gone") this.shut();
      this.tell();
    });
  }

  shut() {
    this.source?.close();
    this.source = null;
  }

  end() {
    document.removeEventListener("visibilitychange", this.turn);
    this.shut();
  }
}

/** @type {WeakMap<HTMLElement, Stream>} */
const streams = new WeakMap();

/** @param {Component} component */
export default function news({ data, parentElement, setTriggerValue }) {
  let stream = streams.get(parentElement);
  if (!stream || stream.page !== data.page) {
    stream?.end();
    stream = new Stream(data.page);
    streams.set(parentElement, stream);
  }
  stream.tell = () => setTriggerValue("beat", Date.now());
  stream.turn();
  const mounted = stream;
  return () => {
    // Streamlit also ends a call that a newer one has overtaken.
    if (parentElement.isConnected) return;
    mounted.end();
    streams.delete(parentElement);
  };
}
