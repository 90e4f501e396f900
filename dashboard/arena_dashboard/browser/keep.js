// Has the response to a ticket set the cookie by which this browser stays signed in, or clear it.

/** The ticket that was posted last: each is of use once. */
let posted = "";

/** One after the other, so that the newest response has the last word. @type {Promise<unknown>} */
let responses = Promise.resolve();

/** @param {{data: [{ticket: string}]}} component */
export default function keep({ data: [{ ticket }] }) {
  if (ticket === posted) return;
  posted = ticket;
  const root = location.pathname.replace(/[^/]*$/, "");
  const headers = { "X-Arena-Ticket": ticket };
  // Kept alive, should the visitor leave at once. Without an answer nothing is lost but the cookie.
  const post = () => fetch(`${root}signed-in`, { method: "POST", headers, keepalive: true });
  responses = responses.then(post).catch(() => {});
}
