import type { ToolDefinition } from "../../../../../worlds/bundle.ts";
import type { Json, JsonObject } from "../../../../../worlds/json.ts";
import type { Random } from "../../../../../worlds/samples/desk/random.ts";
import type { Answered, Asked, Service } from "../services.ts";

const data = (value: unknown): Answered => ({ result: JSON.stringify(value), isError: false });
const text = (words: string): Answered => ({ result: words, isError: false });

const tool = (name: string, names: readonly string[]): ToolDefinition => ({
  name,
  inputSchema: { type: "object", properties: Object.fromEntries(names.map((of) => [of, { type: "string" }])) },
});

const ABOUT = ["Harvest plan", "Roof repair", "Choir trip", "Boat hire", "Garden tools", "Winter fair", "Bread oven"];
const FROM = ["ada", "bo", "cleo", "dag", "eve", "finn"];

/** Letters of a post room, the oldest first: keys are counted, in no order of the dates. */
export const LETTERS: readonly JsonObject[] = Array.from({ length: 60 }, (_, i) => ({
  letter_no: String((i * 37) % 60).padStart(4, "0"),
  about: ABOUT[(i * 5) % ABOUT.length] as string,
  sender: `${FROM[(i * 11) % FROM.length]}@post.example`,
  sent: `2031-0${1 + Math.floor(i / 20)}-${String(1 + (i % 20)).padStart(2, "0")}`,
}));

export const LETTER_TOOLS = [
  tool("search_letters", ["words", "since", "until"]),
  tool("get_letter", ["letter_no", "part"]),
  tool("post_letter", ["about", "sender", "sent"]),
  tool("change_letter", ["letter_no", "part", "text"]),
  tool("shred_letter", ["letter_no"]),
];

const PARTS = ["about", "sender", "sent"];

/** Letters that are searched, at most four at a time, read by one part, posted, changed and shredded. */
export class PostRoom implements Service {
  readonly tools = LETTER_TOOLS.map(({ name }) => name);
  private rows: JsonObject[] = LETTERS.map((row) => ({ ...row }));

  call(name: string, { letter_no, part, words, since, until, ...rest }: JsonObject): Answered {
    if (name === "search_letters") {
      const found = this.rows.filter(
        ({ about, sender, sent }) =>
          `${about}\n${sender}`.toLowerCase().includes(String(words ?? "").toLowerCase()) &&
          String(sent) >= String(since ?? "") &&
          String(sent) <= String(until ?? "9"),
      );
      return found.length === 0 ? text("No letters found.") : data(found.slice(0, 4));
    }
    if (name === "post_letter") {
      const largest = Math.max(...this.rows.map((row) => Number(row.letter_no)));
      const key = String(largest + 1).padStart(4, "0");
      this.rows.push({ letter_no: key, about: rest.about ?? "", sender: rest.sender ?? "", sent: rest.sent ?? "" });
      return text(key);
    }
    const row = this.rows.find((one) => one.letter_no === letter_no);
    if (!row) return text("Letter not found.");
    if (name === "get_letter") return data({ [String(part)]: row[String(part)] ?? null });
    if (name === "change_letter") row[String(part)] = rest.text as Json;
    else this.rows = this.rows.filter((one) => one !== row);
    return text(name === "change_letter" ? "Letter changed." : "Letter shredded.");
  }

  ask(random: Random): Asked {
    const key = random.chance(0.1) ? `letter ${random.int(1, 9)}` : String(random.int(0, 66)).padStart(4, "0");
    const known = random.chance(0.7) ? String(random.pick(this.rows).letter_no) : key;
    const part = random.pick(PARTS);
    const day = `2031-0${random.int(1, 3)}-${String(random.int(1, 20)).padStart(2, "0")}`;
    const kind = random.int(0, 9);
    if (kind <= 4) {
      const words = random.pick([...FROM, "Roof repair", "choir", "garden", "oven"]);
      const since = random.chance(0.4) ? { since: day } : {};
      const until = random.chance(0.3) ? { until: day.replace(/..$/, "20") } : {};
      return ["search_letters", random.chance(0.8) ? { words, ...since, ...until } : { since: day, until: day }];
    }
    if (kind <= 6) return ["get_letter", { letter_no: known, part }];
    if (kind === 7) return ["post_letter", { about: "Roof repair", sender: "gus@post.example", sent: day }];
    if (kind === 8) return ["change_letter", { letter_no: known, part, text: part === "sent" ? day : "New oven" }];
    return ["shred_letter", { letter_no: known }];
  }
}

const TOWNS = ["Arn", "Bell", "Cove", "Dorn", "Esk", "Firth"];

/** Members of a guild: keys that no counter makes, in no order that a column tells. */
export const GUILD: readonly JsonObject[] = Array.from({ length: 40 }, (_, i) => ({
  member_id: `m${((i * 7919 + 4211) % 65_537).toString(16).padStart(5, "0")}`,
  name: `Member ${String.fromCharCode(65 + ((i * 17) % 26))}${(i * 29) % 40}`,
  town: TOWNS[(i * 7) % TOWNS.length] as string,
  craft: ["smith", "baker", "potter"][(i * 5) % 3] as string,
}));

export const GUILD_TOOLS = [
  tool("list_members", ["town", "craft"]),
  tool("get_member", ["member_id"]),
  tool("move_member", ["member_id", "town"]),
  tool("expel_member", ["member_id"]),
];

/** Members who are listed by town and craft, read, moved and expelled. */
export class Guild implements Service {
  readonly tools = GUILD_TOOLS.map(({ name }) => name);
  private rows: JsonObject[] = GUILD.map((row) => ({ ...row }));

  call(name: string, { member_id, town, craft }: JsonObject): Answered {
    if (name === "list_members")
      return data(this.rows.filter((row) => (!town || row.town === town) && (!craft || row.craft === craft)));
    const row = this.rows.find((one) => one.member_id === member_id);
    if (!row) return { result: JSON.stringify({ error: `No member ${member_id}` }), isError: true };
    if (name === "get_member") return data(row);
    if (name === "move_member") row.town = town as Json;
    else this.rows = this.rows.filter((one) => one !== row);
    return data({ done: true });
  }

  ask(random: Random): Asked {
    const member_id = random.chance(0.1) ? "m00000" : String(random.pick(this.rows).member_id);
    const kind = random.int(0, 9);
    const town = random.pick(TOWNS.slice(0, 5));
    if (kind <= 4) return ["list_members", { town, craft: random.pick(["smith", "baker"]) }];
    if (kind <= 7) return ["get_member", { member_id }];
    return kind === 8 ? ["move_member", { member_id, town }] : ["expel_member", { member_id }];
  }
}
