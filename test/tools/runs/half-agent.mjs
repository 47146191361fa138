// An agent that is right half of the time: which half follows from the request and the attempt, so that another attempt at
// the same task may come out otherwise. FAULT says how it fails: answer, 127, 137, KILL, 500. For
// 500 it is a server that prints its port.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

// To import it, or to call fetch, takes longer than the rest of a trial: both load what fetch is made of.
const { createServer, request } = process.getBuiltinModule("node:http");
const { KEY, FAULT } = process.env;
const key = JSON.parse(readFileSync(KEY, "utf8"));

/** Whether this attempt comes out right; the test counts by the same. */
function isRight(request, attempt) {
  return createHash("sha256").update(`${request} ${attempt}`).digest()[0] < 128;
}

async function call(url, token, { tool, args }) {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const params = { name: tool, arguments: args };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const [response] = await once(request(url, { method: "POST", headers }).end(body), "response");
  await response.toArray();
  if (response.statusCode !== 200) throw new Error(`tools/call: ${response.statusCode}`);
}

/** What each trial is asked. */
const requests = new Map();

/** The answer to a turn; undefined where it fails otherwise than by its answer. */
async function answer({ text: said, turn }, { trial, url, token }) {
  if (turn === 1) requests.set(trial, said);
  const text = requests.get(trial);
  const known = key[text];
  const { questions = [] } = known ?? {};
  if (turn <= questions.length) return { answer: questions[turn - 1] };
  if (turn > questions.length + 1) return { answer: "That is all." };
  if (known === undefined) throw new Error("a request that is not in the key");
  const right = isRight(text, trial.split(".").at(-1));
  const wrong = FAULT === "answer" && !right;
  for (const each of wrong ? [] : known.calls) await call(url, token, each);
  if (wrong) return { answer: "The answer is 12345678.", class: "answered" };
  return right ? { answer: known.answer, class: known.class } : undefined;
}

function fail() {
  if (FAULT === "KILL") process.kill(process.pid, "SIGKILL");
  process.exit(Number(FAULT));
}

if (FAULT === "500") {
  const server = createServer(async (req, res) => {
    let body = "";
    for await (const chunk of req) body += chunk;
    const { trial_id: trial, trial_mcp_url: url, trial_mcp_token: token, ...turn } = JSON.parse(body);
    const said = await answer(turn, { trial, url, token });
    if (said === undefined) res.writeHead(500).end("oops");
    else res.end(JSON.stringify(said));
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
} else {
  const trial = {
    trial: process.env.SVC_TRIAL_ID,
    url: process.env.SVC_TRIAL_MCP_URL,
    token: process.env.SVC_TRIAL_MCP_TOKEN,
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const said = await answer(JSON.parse(line), trial);
    if (said === undefined) fail();
    console.log(JSON.stringify(said));
  }
}
