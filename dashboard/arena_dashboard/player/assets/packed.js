/** What the server packed (`frames.packed`): JSON, deflated; of each frame only the changes. */

/** @param {Uint8Array} bytes @returns {Promise<import("./types.js").Match>} */
export async function unpack(bytes) {
  const body = new Blob([/** @type {BlobPart} */ (bytes)]);
  const stream = body.stream().pipeThrough(new DecompressionStream("deflate"));
  const match = JSON.parse(await new Response(stream).text());
  for (let index = 1; index < match.frames.length; index++)
    match.frames[index] = merged(match.frames[index - 1], match.frames[index]);
  return match;
}

/**
 * A frame with changes made to it; objects are changed inside, everything else is replaced.
 * @param {Record<string, any>} before @param {Record<string, any>} changes
 * @returns {Record<string, any>}
 */
export function merged(before, changes) {
  const after = { ...before };
  for (const [key, value] of Object.entries(changes))
    after[key] = isObject(value) && isObject(before[key]) ? merged(before[key], value) : value;
  return after;
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
