import type { ToolDefinition } from "../../../../worlds/bundle.ts";
import type { JsonObject } from "../../../../worlds/json.ts";
import type { Random } from "../../../../worlds/samples/desk/random.ts";
import { type Answered, type Asked, data, type Service } from "./services.ts";

/** Lockers that are rented under a number. Its readings are called as what they show, and nothing marks its refusals. */
export class Lockers implements Service {
  readonly tools = ["rent_locker", "locker", "rename_locker", "give_back", "rented"];
  private readonly rows = new Map<number, { locker_number: number; owner: string; size: string; state: string }>();
  private next = 3001;

  call(tool: string, { locker_number, owner, size }: JsonObject): Answered {
    const no = Number(locker_number);
    const row = this.rows.get(no);
    if (tool === "rented") return data([...this.rows.values()].filter(({ state }) => state === "rented"));
    if (tool === "rent_locker") {
      if (size !== "small" && size !== "large") return data({ message: `There is no size ${size}.` });
      const made = { locker_number: this.next++, owner: String(owner), size, state: "rented" };
      this.rows.set(made.locker_number, made);
      return data({ locker_number: made.locker_number, state: made.state });
    }
    if (!row) return data({ message: `Locker ${no} does not exist.` });
    if (tool === "locker") return data(row);
    if (row.state === "empty") return data({ message: `Locker ${no} was given back.` });
    if (tool === "rename_locker") row.owner = String(owner);
    else row.state = "empty";
    return data({ locker_number: no, done: true });
  }

  ask(random: Random): Asked {
    const locker_number = random.chance(0.06) ? 2999 : random.chance(0.7) ? this.next - 1 : this.next - 2;
    const owner = ["Ada", "Bo", "Cy", "Di"][random.int(0, 3)] as string;
    const size = random.chance(0.15) ? "huge" : random.chance(0.5) ? "small" : "large";
    if (random.chance(0.3)) return ["rent_locker", { owner, size }];
    if (random.chance(0.5)) return ["locker", { locker_number }];
    if (random.chance(0.2)) return ["rented", {}];
    return random.chance(0.5) ? ["rename_locker", { locker_number, owner }] : ["give_back", { locker_number }];
  }
}

const listed = (name: string, description: string, properties: JsonObject): ToolDefinition => ({
  name,
  description,
  inputSchema: { type: "object", properties, required: Object.keys(properties) },
});
const NUMBER = { locker_number: { type: "integer" } };

export const LOCKER_TOOLS: readonly ToolDefinition[] = [
  listed("rent_locker", "Rent a locker.", { owner: { type: "string" }, size: { type: "string" } }),
  listed("locker", "This tool shows a locker.", NUMBER),
  listed("rename_locker", "Rename the owner of a locker.", { ...NUMBER, owner: { type: "string" } }),
  listed("give_back", "Give a locker back.", NUMBER),
  listed("rented", "Which lockers are rented now.", {}),
];
