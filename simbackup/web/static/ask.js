// Questions to the server. Answers that come line by line are handed on as they come.

const TAB = crypto.getRandomValues(new Uint32Array(4)).join("-");

async function sent(path, asked, signal) {
  const body = JSON.stringify({ tab: TAB, ...asked });
  return fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body, signal });
}

/** The answer to a question, as an object. */
export async function ask(path, asked) {
  try {
    return await (await sent(path, asked)).json();
  } catch {
    return { kind: "failed", why: "the server does not answer" };
  }
}

/** Hand on each message of an answer that comes line by line. */
export async function follow(path, asked, signal, heard) {
  const answer = await sent(path, asked, signal);
  if (!answer.ok) { heard(await answer.json()); return; }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) heard(JSON.parse(line));
  }
}

/** A piece of HTML of the server. */
export async function piece(path) {
  return (await fetch(path)).text();
}
