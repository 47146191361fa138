import {
  type Args,
  call,
  type InventedService,
  type Plan,
  Refusal,
  str,
  tool,
} from "../../../../bench/services/service.ts";

type Node = { readonly drawer: Map<string, Node> } | { text: string };

const drawer = (entries: Record<string, Node> = {}): Node => ({ drawer: new Map(Object.entries(entries)) });
const sheet = (text: string): Node => ({ text });

/** First trees, each with the name of its root: several tasks begin with the same one. */
const TREES: readonly (() => [string, Node])[] = [
  () => [
    "desk",
    drawer({
      letters: drawer({ "bank.txt": sheet("Dear Ann\nyour account is open"), "tax.txt": sheet("Pay by May") }),
      empty: drawer(),
      trips: drawer({ "rome.txt": sheet("flight\nhotel\nfood in Rome") }),
    }),
  ],
  () => [
    "bench",
    drawer({
      "log.txt": sheet("start\nwarning: heat\nerror: fuse\nstop"),
      plans: drawer({ "lamp.txt": sheet("two bulbs\none switch"), old: drawer({ "radio.txt": sheet("valves") }) }),
    }),
  ],
];

/** Drawers within drawers with sheets in them: every tool names what lies in the drawer that is open. */
export const workspace: InventedService = {
  name: "workspace",
  form: "openai",
  refusals: "object",
  tools: [
    tool("whereabouts", "Tells which drawer is open."),
    tool("look", "Lists what lies in the open drawer."),
    tool("open", "Opens a drawer in the open one, or '..' for the one around it.", { drawer: "string" }),
    tool("build", "Builds a drawer in the open one.", { drawer: "string" }),
    tool("blank", "Puts an empty sheet into the open drawer.", { sheet: "string" }),
    tool("scribble", "Writes a text on a sheet, on a new one where there is none.", {
      sheet: "string",
      words: "string",
    }),
    tool("read", "Reads a sheet.", { sheet: "string" }),
    tool("measure", "Counts the lines, words or letters of a sheet.", { sheet: "string", of: "l|w|c? l by default" }),
    tool("lines_with", "Lists the lines of a sheet that hold a word.", { sheet: "string", word: "string" }),
    tool("shift", "Moves or renames what lies in the open drawer.", { what: "string", to: "string" }),
    tool("duplicate", "Copies a sheet.", { what: "string", to: "string" }),
    tool("burn", "Takes a sheet or a drawer away.", { what: "string" }),
  ],
  start(task, _session) {
    const [home, root] = task.pick(TREES)();
    if (task.chance(0.4) && "drawer" in root)
      root.drawer.set(task.pick(["todo.txt", "plan.txt"]), sheet(task.pick(["one\ntwo", "x y z"])));
    const path: [string, Node][] = [[home, root]];
    const here = () => (path[path.length - 1] as [string, { drawer: Map<string, Node> }])[1].drawer;
    const sheetOf = (name: string) => {
      const found = here().get(name);
      if (!found) throw new Refusal(`There is no ${name} here.`);
      if ("drawer" in found) throw new Refusal(`${name} is a drawer.`);
      return found;
    };
    const copyOf = (node: Node): Node =>
      "drawer" in node ? { drawer: new Map([...node.drawer].map(([k, v]) => [k, copyOf(v)])) } : { text: node.text };
    const put = (what: string, to: string, moves: boolean) => {
      const from = here().get(what);
      if (!from) throw new Refusal(`There is no ${what} here.`);
      const at = here().get(to);
      if (at && !("drawer" in at)) throw new Refusal(`${to} lies here already.`);
      const [into, name] = at && "drawer" in at ? [at.drawer, what] : [here(), to];
      into.set(name, moves ? from : copyOf(from));
      if (moves) here().delete(what);
      return { done: at ? `${what} lies in ${to} now` : `${what} is ${to} now` };
    };
    const handlers = {
      whereabouts: () => ({ drawer: `/${path.map(([name]) => name).join("/")}` }),
      look: () => ({ things: [...here().keys()] }),
      open: ({ drawer: given }: Args) => {
        const name = str(given);
        if (name === ".." && path.length === 1) throw new Refusal("Nothing is around this drawer.");
        if (name === "..") path.pop();
        else {
          const next = here().get(name);
          if (!next || !("drawer" in next)) throw new Refusal(`There is no drawer ${name} here.`);
          path.push([name, next]);
        }
        return { opened: path.at(-1)?.[0] };
      },
      build: ({ drawer: name }: Args) => {
        if (here().has(str(name))) throw new Refusal(`${name} lies here already.`);
        here().set(str(name), drawer());
        return "Built.";
      },
      blank: ({ sheet: name }: Args) => {
        if (here().has(str(name))) throw new Refusal(`${name} lies here already.`);
        here().set(str(name), sheet(""));
        return "Put in.";
      },
      scribble: ({ sheet: name, words }: Args) => {
        const found = here().get(str(name));
        if (found && "drawer" in found) throw new Refusal(`${name} is a drawer.`);
        if (found) found.text = str(words);
        else here().set(str(name), sheet(str(words)));
        return { letters: str(words).length };
      },
      read: ({ sheet: name }: Args) => ({ text: sheetOf(str(name)).text }),
      measure: ({ sheet: name, of }: Args) => {
        const { text } = sheetOf(str(name));
        if (of === "c") return { size: text.length, unit: "letters" };
        if (of === "w") return { size: text.split(/\s+/).filter(Boolean).length, unit: "words" };
        return { size: text === "" ? 0 : text.split("\n").length, unit: "lines" };
      },
      lines_with: ({ sheet: name, word }: Args) => ({
        lines: sheetOf(str(name))
          .text.split("\n")
          .filter((line) => line.includes(str(word))),
      }),
      shift: ({ what, to }: Args) => put(str(what), str(to), true),
      duplicate: ({ what, to }: Args) => put(str(what), str(to), false),
      burn: ({ what }: Args) => {
        if (!here().delete(str(what))) throw new Refusal(`There is no ${what} here.`);
        return { done: `${what} is gone` };
      },
    };
    const sheets: { readonly within?: string; readonly name: string }[] = [];
    const drawers: string[] = [];
    for (const [name, node] of "drawer" in root ? root.drawer : []) {
      if (!("drawer" in node)) sheets.push({ name });
      else {
        drawers.push(name);
        for (const [inner, leaf] of node.drawer) if (!("drawer" in leaf)) sheets.push({ within: name, name: inner });
      }
    }
    const one = task.pick(sheets);
    const into = task.pick(drawers);
    const made = task.pick(["summary.txt", "report.txt"]);
    const built = task.pick(["drafts", "2024"]);
    const words = task.pick(["Remember the meeting.", "a b c", "first\nsecond line"]);
    const word = task.pick(["error", "a", "Rome"]);
    const goal = task.between(0, 4);
    function* plan(): Plan {
      if (task.chance(0.5)) yield call("look");
      if (goal === 0) {
        if (one.within) yield call("open", { drawer: one.within });
        yield call("read", { sheet: one.name });
        yield call("lines_with", { sheet: one.name, word });
        yield call("measure", { sheet: one.name, of: task.pick([undefined, "l", "w", "c"]) });
      } else if (goal === 1) {
        yield call("build", { drawer: built });
        if (one.within === undefined) yield call("shift", { what: one.name, to: built });
        yield call("open", { drawer: built });
        yield call("blank", { sheet: made });
        yield call("scribble", { sheet: made, words });
        yield call("look");
        yield call("read", { sheet: made });
      } else if (goal === 2) {
        if (one.within) yield call("open", { drawer: one.within });
        yield call("duplicate", { what: one.name, to: `copy of ${one.name}` });
        yield call("read", { sheet: `copy of ${one.name}` });
        yield call("burn", { what: one.name });
        yield call("look");
      } else if (goal === 3) {
        yield call("open", { drawer: into });
        yield call("scribble", { sheet: made, words });
        yield call("measure", { sheet: made, of: "w" });
        yield call("open", { drawer: ".." });
        yield call("whereabouts");
        yield call("look");
      } else {
        yield call("shift", { what: into, to: built });
        yield call("look");
        yield call("open", { drawer: built });
        yield call("look");
        yield call("open", { drawer: ".." });
      }
    }
    return {
      request: `In ${home}: ${one.name}${one.within ? ` in ${one.within}` : ""}, ${into}, ${made}: "${words}" (${word}, ${built}).`,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("whereabouts"),
          call("look"),
          call("open", { drawer: random.pick(["..", into, one.within ?? into, one.name]) }),
          call("read", { sheet: random.pick([one.name, made]) }),
          call("blank", { sheet: random.pick([made, one.name]) }),
          call("build", { drawer: random.pick([built, into]) }),
          call("measure", { sheet: one.name, of: random.pick(["l", "w", "c"]) }),
          call("duplicate", { what: one.name, to: random.pick([into, made]) }),
          call("burn", { what: random.pick([made, "trash.txt"]) }),
        ]),
    };
  },
};
