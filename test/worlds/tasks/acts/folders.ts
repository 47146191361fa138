import type { Json, JsonObject } from "../../../../worlds/json.ts";
import type { Random } from "../../../../worlds/samples/desk/random.ts";
import { type Asked, type Maker, SERVICES, type Service } from "../../compile/programs/services.ts";

const TOPICS = ["harvest", "plumbing", "choir", "ferry", "orchard", "pottery"];
const VERBS = ["Plan the", "Review the", "Repair the", "Paint the"];
const FOLDERS: Readonly<Record<string, string>> = { cellar: "Runa", attic: "Osman" };

const done = (text: string) => ({ result: text as Json, isError: false });
const refused = (text: string) => ({ result: JSON.stringify({ error: text }) as Json, isError: true });

/** Files of several lines in folders that are there from the start. */
export class Folders implements Service {
  readonly tools = ["write_page", "read_page", "list_pages"];
  private readonly pages = new Map(
    Object.entries(FOLDERS).map(([folder, keeper]) => [
      folder,
      new Map([["index", `# ${folder}\n\nkeeper: ${keeper}\n`]]),
    ]),
  );

  call(tool: string, { folder, page, text }: JsonObject) {
    const pages = this.pages.get(String(folder));
    if (!pages) return refused(`No folder ${folder}`);
    if (tool === "list_pages") return done([...pages.keys()].sort().join(","));
    if (tool === "write_page") {
      pages.set(String(page), String(text));
      return done(`Page ${page} written to ${folder}`);
    }
    const found = pages.get(String(page));
    return found === undefined ? refused(`No page ${page}`) : done(found);
  }

  ask(random: Random): Asked {
    const folder = random.chance(0.95) ? random.pick(Object.keys(FOLDERS)) : "roof";
    const page = random.pick(["index", "plan", "notes"]);
    if (random.chance(0.3)) return ["list_pages", { folder }];
    if (random.chance(0.5)) return ["read_page", { folder, page }];
    const topic = random.pick(TOPICS);
    const text = `# ${random.pick(VERBS)} ${topic}\n\nThe ${random.pick(TOPICS)} comes first.\n`;
    return ["write_page", { folder, page, text }];
  }
}

/** The invented services that tasks are made on, and one with files. */
export const MADE: Readonly<Record<string, Maker>> = { ...SERVICES, folders: () => new Folders() };
