let made = 0;
/** A session that calls a tool so often, each time alike. */
export function session(calls: number, tool = "get_order") {
  made += 1;
  const call = (n: number) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${n}`, type: "function", function: { name: tool, arguments: '{"order":"W1"}' } }],
    },
    { role: "tool", tool_call_id: `c${n}`, content: '{"order":"W1","state":"sent"}' },
  ];
  return {
    traceId: `online-${made}`,
    messages: [
      { role: "user", content: `Where is order ${made}?` },
      ...Array.from({ length: calls }, (_, n) => call(n)).flat(),
      { role: "assistant", content: `It was sent, ${made}.` },
    ],
  };
}
/** Sessions that are fine, and sessions that loop. */
export const sessions = (good: number, bad: number) => [
  ...Array.from({ length: good }, () => session(1)),
  ...Array.from({ length: bad }, () => session(4)),
];
