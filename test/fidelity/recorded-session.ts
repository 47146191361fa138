/** A tool call with what it was answered. */
export type Used = readonly [tool: string, args: object, result: string, failed?: boolean];

/** A recorded session, one tool call after the other. */
export function session(name: string, request: string, calls: readonly Used[]): string {
  const messages = calls.flatMap(([tool, input, content, is_error = false], i) => [
    { role: "assistant", content: [{ type: "tool_use", id: `${name}-${i}`, name: tool, input }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `${name}-${i}`, content, is_error }] },
  ]);
  const [asked, said] = [
    { role: "user", content: request },
    { role: "assistant", content: "Done." },
  ];
  return JSON.stringify({ session: name, messages: [asked, ...messages, said] });
}

/** A door is looked at and painted; every other one refuses, in words that begin like no error, flagged. */
export function doorTrace(n: number): string {
  const door = { door_id: `D-${n}`, state: n % 2 ? "sealed" : "open", floor: n };
  const paint = { door_id: door.door_id, colour: "red" };
  return session(`door-${n}`, "Paint it.", [
    ["get_door", { door_id: door.door_id }, JSON.stringify(door)],
    n % 2
      ? ["paint_door", paint, `Door ${door.door_id} is sealed and stays as it is`, true]
      : ["paint_door", paint, JSON.stringify({ ...door, colour: "red" })],
  ]);
}
