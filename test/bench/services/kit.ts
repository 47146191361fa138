import { Random } from "../../../bench/services/random.ts";
import { type Args, type Data, type InventedService, Refusal } from "../../../bench/services/service.ts";

/** A started service: `ask` gives a tool's answer, `refusal` the sentence of one that says no; `request` is the task's. */
export function start(service: InventedService, task = "task") {
  const { handlers, request } = service.start(new Random(task), new Random("session"));
  const ask = (tool: string, args: Args = {}): unknown => {
    const handler = handlers[tool];
    if (!handler) throw new Error(`no tool ${tool}`);
    return handler(args);
  };
  const refusal = (tool: string, args: Args = {}): string => {
    try {
      ask(tool, args);
    } catch (error) {
      if (error instanceof Refusal) return error.message;
      throw error;
    }
    throw new Error(`${tool} did not refuse`);
  };
  return { request, ask, refusal, row: (tool: string, args: Args = {}) => ask(tool, args) as Data };
}
