import { PDFDocument, StandardFonts } from "pdf-lib";

/** Somebody who does not exist, with everything that would identify them. */
export interface Planted {
  readonly given: string;
  readonly family: string;
  readonly userId: string;
  readonly email: string;
  readonly phone: string;
  readonly card: string;
  readonly street: string;
  readonly city: string;
  readonly ssn: string;
  readonly order: string;
}

const SYLLABLES = "bra cku dwo fle gno hro jva kwe lmo myl nkr plu quo rza sfe tvi ulb vro wex zyg".split(" ");

/** A made-up word of four syllables; another number, another word. */
function word(n: number): string {
  let left = n * 7919 + 104_729;
  let text = "";
  for (let i = 0; i < 4; i++) {
    text += SYLLABLES[left % SYLLABLES.length];
    left = Math.floor(left / 3) + 31 * (i + n + 1);
  }
  return text;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const digits = (n: number, size: number) => String((n * 48_271_337 + 7_777_777) % 10 ** size).padStart(size, "7");

/** The n-th of them. */
export function person(n: number): Planted {
  const [given, family, host, street, city] = [1, 2, 3, 4, 5].map((i) => word(n * 5 + i)) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const card = `4929 ${digits(n + 3, 4)} ${digits(n + 5, 4)} ${digits(n + 9, 4)}`;
  return {
    given: capital(given),
    family: capital(family),
    userId: `${given}_${family}_${digits(n, 4)}`,
    email: `${given}.${family}@${host}.example`,
    phone: `+1 (555) ${digits(n + 11, 3)}-${digits(n + 13, 4)}`,
    card,
    street: `${100 + n} ${capital(street)} Lane`,
    city: capital(city),
    ssn: `${digits(n + 17, 3)}-${digits(n + 19, 2)}-${digits(n + 23, 4)}`,
    order: `W${digits(n + 29, 9)}`,
  };
}

/** What nobody may find of a person: words without their capitals, and numbers as they are written. */
export function tokensOf({ given, family, email, phone, card, street, city, ssn, order }: Planted): string[] {
  const host = email.split("@")[1]?.split(".")[0] ?? "";
  const words = [given, family, street.split(" ")[1] ?? "", city].map((text) => text.slice(1));
  return [...words, host, phone.slice(-8), card, card.replaceAll(" ", ""), ssn, order];
}

/** A value that identifies nobody. */
export const VALUE = "velvetine grade";

export interface PlantedSession {
  readonly id: string;
  readonly request: string;
  readonly calls: readonly {
    readonly tool: string;
    readonly args: Record<string, unknown>;
    readonly result: unknown;
  }[];
  readonly answer: string;
}

/** A session in which a person says who they are, and tools answer with all that is known of them. */
export function sessionOf(who: Planted, i: number): PlantedSession {
  const { given, family, userId, email, phone, card, street, city, ssn, order } = who;
  const user = {
    user_id: userId,
    name: { first_name: given, last_name: family },
    email,
    phone,
    ssn,
    address: { address1: street, city, zip: `0${19_000 + i}` },
    contacts: { [email]: { preferred: true } },
    payment_methods: [{ kind: "card", card_number: card, holder_name: `${given} ${family}` }],
    level: VALUE,
  };
  const placed = {
    order_id: order,
    user_id: userId,
    status: "open",
    total: 12.5 + i,
    recipient: { full_name: `${given} ${family}`, street_address: street },
    notes: `Ring ${given} ${family} at ${phone}.`,
  };
  return {
    id: `session-${i}`,
    request: `Hello, I'm ${given} ${family}, ${email}, phone ${phone}. Cancel my order ${order}. I live at ${street}, ${city}; card ${card}, SSN ${ssn}.`,
    calls: [
      { tool: "get_user", args: { user_id: userId }, result: user },
      { tool: "get_order", args: { order_id: order }, result: placed },
      { tool: "cancel_order", args: { order_id: order, email }, result: { ...placed, status: "cancelled" } },
    ],
    answer: `${given}, order ${order} is cancelled; a mail went to ${email}.`,
  };
}

const text = (value: unknown) => JSON.stringify(value);
const SECOND = 1_700_000_000;

function openAi({ id, request, calls, answer }: PlantedSession) {
  return {
    id,
    metadata: { customer: request.split(",")[1] },
    messages: [
      { role: "system", content: "Help the customer." },
      { role: "user", content: request },
      ...calls.flatMap(({ tool, args, result }, i) => [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: `c${i}`, type: "function", function: { name: tool, arguments: text(args) } }],
        },
        { role: "tool", tool_call_id: `c${i}`, name: tool, content: text(result) },
      ]),
      { role: "assistant", content: answer },
    ],
  };
}

function anthropic({ id, request, calls, answer }: PlantedSession) {
  return {
    id,
    system: "Help the customer.",
    messages: [
      { role: "user", content: request },
      ...calls.flatMap(({ tool, args, result }, i) => [
        { role: "assistant", content: [{ type: "tool_use", id: `c${i}`, name: tool, input: args }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: `c${i}`, content: text(result) }] },
      ]),
      { role: "assistant", content: [{ type: "text", text: answer }] },
    ],
  };
}

const kv = (fields: Record<string, string>) =>
  Object.entries(fields).map(([key, stringValue]) => ({ key, value: { stringValue } }));

function genAi(sessions: readonly PlantedSession[]) {
  const spans = sessions.flatMap(({ id, request, calls, answer }, n) => {
    const traceId = (n + 1).toString(16).padStart(32, "a");
    const span = (i: number, attributes: Record<string, string>) => ({
      traceId,
      spanId: (n * 100 + i + 1).toString(16).padStart(16, "b"),
      ...(i === 0 ? {} : { parentSpanId: (n * 100 + 1).toString(16).padStart(16, "b") }),
      name: `span ${request}`,
      startTimeUnixNano: `${SECOND + n * 100 + i}000000000`,
      endTimeUnixNano: `${SECOND + n * 100 + i}500000000`,
      attributes: kv(attributes),
    });
    const parts = (role: string, content: string) => text([{ role, parts: [{ type: "text", content }] }]);
    return [
      span(0, {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.conversation.id": id,
        "enduser.id": request,
        "gen_ai.input.messages": parts("user", request),
        "gen_ai.output.messages": parts("assistant", answer),
      }),
      ...calls.map(({ tool, args, result }, i) =>
        span(i + 1, {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": tool,
          "gen_ai.tool.call.arguments": text(args),
          "gen_ai.tool.call.result": text(result),
        }),
      ),
    ];
  });
  return { resourceSpans: [{ resource: { attributes: kv({ "service.name": "shop" }) }, scopeSpans: [{ spans }] }] };
}

function openInference(sessions: readonly PlantedSession[]) {
  return sessions.flatMap(({ request, calls, answer }, n) => {
    const span = (i: number, name: string, attributes: Record<string, string>) => ({
      trace_id: `t${n}`,
      span_id: `${n}-${i}`,
      ...(i === 0 ? {} : { parent_span_id: `${n}-0` }),
      name,
      start_time: (SECOND + n * 100 + i) * 1e9,
      end_time: (SECOND + n * 100 + i + 1) * 1e9,
      attributes,
      status: { code: "OK" },
    });
    return [
      span(0, "llm", {
        "openinference.span.kind": "LLM",
        "user.id": request,
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": request,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": answer,
      }),
      ...calls.map(({ tool, args, result }, i) =>
        span(i + 1, tool, {
          "openinference.span.kind": "TOOL",
          "tool.name": tool,
          "input.value": text(args),
          "output.value": text(result),
        }),
      ),
    ];
  });
}

function obsSpans(sessions: readonly PlantedSession[]) {
  const data = sessions.flatMap(({ id, request, calls, answer }, n) => {
    const span = (i: number, name: string, kind: string, more: object) => ({
      id: `${n}-${i}`,
      type: "span",
      attributes: {
        trace_id: `9${n}`,
        span_id: `${n}-${i}`,
        parent_id: "undefined",
        name,
        span_kind: kind,
        ml_app: "shop",
        start_ns: (SECOND + n * 100 + i) * 1e9,
        duration: 5e6,
        status: "ok",
        tags: [`session_id:${id}`, `customer:${request.slice(0, 60)}`],
        ...more,
      },
    });
    return [
      span(0, "llm", "llm", {
        input: { messages: [{ role: "user", content: request }] },
        output: { messages: [{ role: "assistant", content: answer }] },
      }),
      ...calls.map(({ tool, args, result }, i) =>
        span(i + 1, tool, "tool", { input: { value: text(args) }, output: { value: text(result) } }),
      ),
    ];
  });
  return { data, meta: { page: {} } };
}

function traceStore({ id, request, calls, answer }: PlantedSession, n: number) {
  const observation = (i: number, type: string, more: object) => ({
    id: `${n}-${i}`,
    traceId: `t${n}`,
    type,
    startTime: `2025-01-0${1 + (n % 8)}T00:00:0${i}.000Z`,
    endTime: `2025-01-0${1 + (n % 8)}T00:00:0${i}.500Z`,
    level: "DEFAULT",
    ...more,
  });
  return {
    trace: { id: `t${n}`, sessionId: id, userId: request.split(",")[1], name: request, metadata: { who: request } },
    observations: [
      observation(0, "GENERATION", {
        model: "m",
        input: text([{ role: "user", content: request }]),
        output: { role: "assistant", content: answer },
      }),
      ...calls.map(({ tool, args, result }, i) =>
        observation(i + 1, "TOOL", { name: tool, input: text(args), output: text(result) }),
      ),
    ],
  };
}

function tauBench(session: PlantedSession, n: number) {
  return { task_id: n, trial: 0, reward: 1, info: { user: session.request }, traj: openAi(session).messages };
}

function tau2(sessions: readonly PlantedSession[]) {
  const simulations = sessions.map(({ id, request, calls, answer }, n) => ({
    id,
    task_id: String(n),
    trial: 0,
    start_time: "2025-08-01T16:20:44.5",
    termination_reason: "user_stop",
    reward_info: { reward: 1 },
    messages: [
      { role: "assistant", content: "Hi!", tool_calls: null },
      { role: "user", content: request, tool_calls: null },
      ...calls.flatMap(({ tool, args, result }, i) => [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: `a${i}`, name: tool, arguments: args, requestor: "assistant" }],
        },
        { id: `a${i}`, role: "tool", content: text(result), requestor: "assistant", error: false },
      ]),
      { role: "assistant", content: answer, tool_calls: null },
    ],
  }));
  const info = { agent_info: { llm: "m" }, environment_info: { domain_name: "shop" } };
  return {
    timestamp: "t",
    info,
    tasks: sessions.map(({ request }, n) => ({ id: String(n), user: request })),
    simulations,
  };
}

function inspect(sessions: readonly PlantedSession[]) {
  const samples = sessions.map(({ request, calls, answer }, n) => ({
    id: n + 1,
    epoch: 1,
    target: answer,
    scores: { includes: { value: "C", explanation: request } },
    messages: [
      { role: "user", content: request },
      ...calls.flatMap(({ tool, args, result }, i) => [
        { role: "assistant", content: "", tool_calls: [{ id: `c${i}`, function: tool, arguments: args }] },
        { role: "tool", tool_call_id: `c${i}`, function: tool, content: text(result) },
      ]),
      { role: "assistant", content: answer },
    ],
  }));
  return { version: 2, status: "success", eval: { task: "desk", model: "m" }, plan: {}, samples };
}

function agentDojo({ request, calls, answer }: PlantedSession, n: number) {
  const said = (content: string) => [{ type: "text", content }];
  return {
    suite_name: "shop",
    pipeline_name: "m-1",
    user_task_id: `user_task_${n}`,
    injection_task_id: null,
    attack_type: null,
    injections: { slot: request },
    messages: [
      { role: "user", content: said(request) },
      ...calls.flatMap(({ tool, args, result }, i) => [
        { role: "assistant", content: null, tool_calls: [{ function: tool, args, id: `c${i}` }] },
        {
          role: "tool",
          content: said(text(result)),
          tool_call_id: `c${i}`,
          tool_call: { function: tool, args: {}, id: `c${i}` },
          error: null,
        },
      ]),
      { role: "assistant", content: said(answer) },
    ],
    error: null,
    utility: true,
    security: true,
    duration: 3.1,
  };
}

function atif({ id, request, calls, answer }: PlantedSession) {
  return {
    schema_version: "ATIF-v1.4",
    session_id: id,
    agent: { name: "helper", version: "2", model_name: "m-1" },
    notes: request,
    steps: [
      { step_id: 1, timestamp: "2026-01-02T03:04:05Z", source: "user", message: request },
      ...calls.map(({ tool, args, result }, i) => ({
        step_id: i + 2,
        source: "agent",
        message: "",
        tool_calls: [{ tool_call_id: `c${i}`, function_name: tool, arguments: args }],
        observation: { results: [{ source_call_id: `c${i}`, content: text(result) }] },
      })),
      { step_id: 9, source: "agent", message: answer },
    ],
  };
}

function sweAgent({ request, calls, answer }: PlantedSession) {
  const history = [
    { role: "user", content: request },
    ...calls.flatMap(({ tool, args, result }, i) => [
      {
        role: "assistant",
        content: "",
        agent: "main",
        tool_calls: [{ id: `c${i}`, type: "function", function: { name: tool, arguments: text(args) } }],
      },
      { role: "tool", content: text(result), tool_call_ids: [`c${i}`] },
    ]),
    { role: "assistant", content: answer, agent: "main" },
  ];
  const info = { exit_status: "submitted", submission: request };
  return { trajectory: [{ action: "", observation: request, thought: answer }], history, info };
}

function claudeCode({ id, request, calls, answer }: PlantedSession) {
  const message = (role: string, content: unknown) => ({ type: role, session_id: id, message: { role, content } });
  return [
    message("user", request),
    ...calls.flatMap(({ tool, args, result }, i) => [
      message("assistant", [{ type: "tool_use", id: `${id}-${i}`, name: tool, input: args }]),
      message("user", [{ type: "tool_result", tool_use_id: `${id}-${i}`, content: text(result) }]),
    ]),
    message("assistant", [{ type: "text", text: answer }]),
    { type: "result", subtype: "success", session_id: id, result: answer, cwd: `/home/${request.split("@")[0]}` },
  ];
}

function adk(sessions: readonly PlantedSession[]) {
  const part = (said: string) => ({ parts: [{ text: said }], role: "user" });
  return {
    eval_set_id: "set",
    eval_cases: sessions.map(({ id, request, calls, answer }) => ({
      eval_id: id,
      session_input: { app_name: "desk", user_id: request.split(",")[1], state: { who: request } },
      conversation: [
        {
          user_content: part(request),
          final_response: part(answer),
          intermediate_data: {
            tool_uses: calls.map(({ tool, args }, i) => ({ id: `u${i}`, name: tool, args })),
            tool_responses: calls.map(({ tool, result }, i) => ({ id: `u${i}`, name: tool, response: result })),
          },
        },
      ],
    })),
  };
}

/** Every format of traces: what its sessions are sent as. */
export const TRACE_FORMATS: Readonly<Record<string, (sessions: readonly PlantedSession[]) => unknown>> = {
  "openai-chat": (sessions) => sessions.map(openAi),
  "anthropic-messages": (sessions) => sessions.map(anthropic),
  otlp: genAi,
  "otlp (OpenInference)": openInference,
  "obs-spans": obsSpans,
  trace_store: (sessions) => sessions.map(traceStore).map(text).join("\n"),
  "tau-bench": (sessions) => sessions.map(tauBench),
  tau2,
  inspect,
  agentdojo: (sessions) => sessions.map(agentDojo),
  atif: (sessions) => sessions.map(atif).map(text).join("\n"),
  "swe-agent": (sessions) => sessions.map(sweAgent).map(text).join("\n"),
  "claude-code": (sessions) => sessions.flatMap(claudeCode).map(text).join("\n"),
  adk,
};

function letter({ given, family, email, phone, card, street, city, ssn, order }: Planted): string {
  return `Contact: ${given} ${family}\nEmail: ${email}\nPhone: ${phone}\nAddress: ${street}, ${city}\nCard: ${card}\nSSN: ${ssn}\n\nDear ${given} ${family}, order ${order} was sent to ${street}, ${city}. Write to ${email} or call ${phone}.\n`;
}

function har(who: Planted): unknown {
  const { calls } = sessionOf(who, 1);
  const entries = calls.map(({ tool, args, result }, i) => ({
    startedDateTime: new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString(),
    time: 12,
    request: {
      method: i === 2 ? "POST" : "GET",
      url: `https://api.shop.example/v1/${tool === "get_user" ? `users/${who.userId}` : `orders/${who.order}`}${i === 2 ? "/cancel" : `?email=${encodeURIComponent(who.email)}`}`,
      headers: [
        { name: "Cookie", value: `user=${who.email}` },
        { name: "X-User", value: who.userId },
      ],
      ...(i === 2 ? { postData: { mimeType: "application/json", text: text(args) } } : {}),
    },
    response: {
      status: 200,
      headers: [
        { name: "Content-Type", value: "application/json" },
        { name: "X-Customer", value: who.email },
      ],
      content: { mimeType: "application/json", text: text(result) },
    },
  }));
  return { log: { version: "1.2", creator: { name: "t", version: "1" }, entries } };
}

function openApi(who: Planted): unknown {
  const { calls } = sessionOf(who, 1);
  const example = calls[0]?.result;
  return {
    openapi: "3.0.3",
    info: { title: "Shop", version: "1", contact: { name: `${who.given} ${who.family}`, email: who.email } },
    servers: [{ url: "https://api.shop.example" }],
    paths: {
      "/users/{user_id}": {
        get: {
          operationId: "get_user",
          description: `Ask ${who.given} ${who.family} (${who.email}, ${who.phone}) for access.`,
          parameters: [
            {
              name: "user_id",
              in: "path",
              required: true,
              schema: { type: "string", example: who.userId },
              example: who.userId,
            },
          ],
          responses: { 200: { description: "ok", content: { "application/json": { example } } } },
        },
      },
    },
  };
}

function listing(who: Planted): unknown {
  const description = `Reads a user. Ask ${who.given} ${who.family} (${who.email}, ${who.phone}) for access.`;
  const user_id = { type: "string", description: `Such as ${who.userId}`, default: who.userId, examples: [who.email] };
  return { name: "get_user", description, inputSchema: { type: "object", properties: { user_id } } };
}

async function pdf(words: string): Promise<string> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  const page = document.addPage();
  words.split("\n").forEach((line, i) => {
    page.drawText(line, { x: 20, y: 700 - 20 * i, size: 9, font });
  });
  return Buffer.from(await document.save()).toString("base64");
}

/** Every format of listings, documents and captures: what one that is about a person is sent as. */
export const OTHER_FORMATS: Readonly<Record<string, (who: Planted) => unknown>> = {
  mcp: (who) => ({ tools: [listing(who)] }),
  "openai-tools": (who) => {
    const { name, description, inputSchema } = listing(who) as Record<string, unknown>;
    return [{ type: "function", function: { name, description, parameters: inputSchema } }];
  },
  "anthropic-tools": (who) => {
    const { name, description, inputSchema } = listing(who) as Record<string, unknown>;
    return [{ name, description, input_schema: inputSchema }];
  },
  openapi: openApi,
  markdown: (who) => `# Letter to ${who.given} ${who.family}\n\n${letter(who)}`,
  text: (who) => letter(who),
  html: (who) =>
    `<html><head><title>${who.given} ${who.family}</title></head><body><p>${letter(who).replaceAll("\n", "</p><p>")}</p></body></html>`,
  pdf: (who) => pdf(letter(who)),
  records: (who) => ({ users: [sessionOf(who, 1).calls[0]?.result], orders: [sessionOf(who, 1).calls[1]?.result] }),
  "records (CSV)": ({ userId, given, family, email, phone, street, city, card }) =>
    `user_id,first_name,last_name,email,phone,address,city,card_number\n${userId},${given},${family},${email},${phone},${street},${city},${card}\n`,
  har,
};
