// An agent behind a URL, without a library: one POST for each turn of the user, tools from the trial's MCP endpoint,
// a model that speaks chat completions. OPENAI_BASE_URL, OPENAI_API_KEY and MODEL say which; PORT says where it listens.
import { createServer } from "node:http";

const { OPENAI_BASE_URL = "https://api.openai.com/v1", OPENAI_API_KEY = "", MODEL = "gpt-5-mini" } = process.env;
/** The conversation of each trial: turns of one trial come one after the other, trials come side by side. */
const sessions = new Map();

async function post(url, headers, body) {
  const sent = { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers };
  const response = await fetch(url, { method: "POST", headers: sent, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
}

async function answer({ session, text, trial_mcp_url: url, trial_mcp_token: token }) {
  const rpc = async (method, params) => {
    const reply = await post(url, { authorization: `Bearer ${token}` }, { jsonrpc: "2.0", id: 1, method, params });
    if (reply.error) throw new Error(reply.error.message);
    return reply.result;
  };
  const { tools } = await rpc("tools/list", {});
  const offered = tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }));
  const messages = sessions.get(session) ?? [{ role: "system", content: "Help the user. Use the tools; never guess." }];
  sessions.set(session, messages);
  messages.push({ role: "user", content: text });
  for (let step = 0; step < 30; step++) {
    const asked = { model: MODEL, messages, tools: offered };
    const reply = await post(
      `${OPENAI_BASE_URL}/chat/completions`,
      { authorization: `Bearer ${OPENAI_API_KEY}` },
      asked,
    );
    const { message } = reply.choices[0];
    messages.push(message);
    if (!message.tool_calls?.length) return message.content ?? "";
    for (const { id, function: made } of message.tool_calls) {
      const result = await rpc("tools/call", { name: made.name, arguments: JSON.parse(made.arguments || "{}") });
      messages.push({
        role: "tool",
        tool_call_id: id,
        content: result.content.map((part) => part.text ?? "").join("\n"),
      });
    }
  }
  return "I did not come to an end.";
}

createServer(async (request, response) => {
  try {
    let body = "";
    for await (const chunk of request) body += chunk;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ answer: await answer(JSON.parse(body)) }));
  } catch (error) {
    // An answer other than 2xx fails the trial, and the log says why.
    console.error(error);
    response.writeHead(500).end();
  }
}).listen(Number(process.env.PORT ?? 8080), "127.0.0.1", function () {
  console.log(`listening on http://127.0.0.1:${this.address().port}/`);
});
