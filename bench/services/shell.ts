import { type Args, call, type InventedService, num, type Plan, Refusal, str, tool } from "./service.ts";

const WORDS = ["budget", "draft", "ocean", "invoice", "lantern", "river", "summary", "ticket", "violet", "winter"];
const FOLDERS = ["archive", "notes", "reports", "photos", "inbox", "old"];

/** A tree of folders and texts with a working folder; its first tree differs by task. */
export const shell: InventedService = {
  name: "shell",
  form: "openai",
  refusals: "object",
  tools: [
    tool("where", "Shows the working folder."),
    tool("list", "Lists a folder, the working folder by default.", {
      path: "string?",
      show_hidden: "boolean? names that start with a dot too; false by default",
      order: "name|size? name by default",
    }),
    tool("enter", "Changes the working folder. '..' goes up.", { path: "string" }),
    tool("make_folder", "Makes a folder in the working folder.", { name: "string" }),
    tool("write_text", "Writes a text, or adds a line to it.", { path: "string", text: "string", append: "boolean?" }),
    tool("read_text", "Reads a text, all lines by default.", { path: "string", first: "integer?", lines: "integer?" }),
    tool("count", "Counts lines, words and characters of a text.", { path: "string" }),
    tool("search", "Finds lines with a word in all texts below the working folder.", { word: "string" }),
    tool("sorted", "Shows the lines of a text in order.", { path: "string" }),
    tool("move", "Moves or renames.", { from: "string", to: "string" }),
    tool("copy", "Copies a text.", { from: "string", to: "string" }),
    tool("remove", "Removes a text, or a folder that is empty unless recursive.", {
      path: "string",
      recursive: "boolean?",
    }),
  ],
  start(task, _session) {
    const home = `/home/${task.pick(["ada", "ben", "cleo", "dev"])}`;
    const texts = new Map<string, string>();
    const folders = new Set(["/", "/home", home]);
    for (const name of task.some(FOLDERS, 3)) folders.add(`${home}/${name}`);
    const places = [...folders].filter((path) => path.startsWith(home));
    const line = () => task.some(WORDS, task.between(2, 5)).join(" ");
    for (const name of task.some(WORDS, task.between(3, 5)))
      texts.set(`${task.pick(places)}/${name}.txt`, Array.from({ length: task.between(1, 6) }, line).join("\n"));
    if (task.chance(0.5)) texts.set(`${home}/.profile`, "export EDITOR=vi");
    let cwd = home;
    const full = (path: string) => {
      const parts: string[] = [];
      for (const part of (path.startsWith("/") ? path : `${cwd}/${path}`).split("/"))
        if (part === "..") parts.pop();
        else if (part !== "" && part !== ".") parts.push(part);
      return `/${parts.join("/")}`;
    };
    const parent = (path: string) => path.slice(0, path.lastIndexOf("/")) || "/";
    const base = (path: string) => path.slice(path.lastIndexOf("/") + 1);
    const textAt = (name: string, path: string) => {
      const found = texts.get(full(path));
      if (folders.has(full(path))) throw new Refusal(`${name}: ${path}: is a folder`);
      if (found === undefined) throw new Refusal(`${name}: ${path}: no such file`);
      return found;
    };
    const target = (name: string, to: string, from: string) => {
      const path = folders.has(full(to)) ? `${full(to)}/${base(full(from))}` : full(to);
      if (!folders.has(parent(path))) throw new Refusal(`${name}: ${to}: no such folder`);
      if (texts.has(path)) throw new Refusal(`${name}: ${to}: exists already`);
      return path;
    };
    const handlers = {
      where: () => ({ cwd }),
      list: ({ path, show_hidden, order }: Args) => {
        const at = full(str(path, "."));
        if (!folders.has(at)) throw new Refusal(`list: ${str(path)}: no such folder`);
        const entries = [
          ...[...folders]
            .filter((one) => one !== "/" && parent(one) === at)
            .map((one) => ({ name: `${base(one)}/`, size: 0 })),
          ...[...texts]
            .filter(([one]) => parent(one) === at)
            .map(([one, text]) => ({ name: base(one), size: text.length })),
        ].filter(({ name }) => show_hidden === true || !name.startsWith("."));
        entries.sort((a, b) => (order === "size" ? b.size - a.size : 0) || (a.name < b.name ? -1 : 1));
        return { entries: order === "size" ? entries : entries.map(({ name }) => name) };
      },
      enter: ({ path }: Args) => {
        if (!folders.has(full(str(path)))) throw new Refusal(`enter: ${path}: no such folder`);
        cwd = full(str(path));
        return { cwd };
      },
      make_folder: ({ name }: Args) => {
        if (folders.has(full(str(name)))) throw new Refusal(`make_folder: ${name}: exists already`);
        folders.add(full(str(name)));
        return "";
      },
      write_text: ({ path, text, append }: Args) => {
        const at = full(str(path));
        if (folders.has(at)) throw new Refusal(`write_text: ${path}: is a folder`);
        if (!folders.has(parent(at))) throw new Refusal(`write_text: ${path}: no such folder`);
        const before = texts.get(at);
        texts.set(at, append === true && before !== undefined ? `${before}\n${text}` : str(text));
        return { written: str(texts.get(at)).length };
      },
      read_text: ({ path, first, lines }: Args) => {
        const all = textAt("read_text", str(path)).split("\n");
        return { content: all.slice(num(first, 1) - 1, num(first, 1) - 1 + num(lines, all.length)).join("\n") };
      },
      count: ({ path }: Args) => {
        const text = textAt("count", str(path));
        return { lines: text.split("\n").length, words: text.split(/\s+/).length, characters: text.length };
      },
      search: ({ word }: Args) => {
        const below = [...texts]
          .filter(([path]) => path.startsWith(cwd === "/" ? "/" : `${cwd}/`))
          .sort(([a], [b]) => (a < b ? -1 : 1));
        const matches = below.flatMap(([path, text]) =>
          text
            .split("\n")
            .flatMap((one, i) => (one.includes(str(word)) ? [`${path.slice(cwd.length + 1)}:${i + 1}: ${one}`] : [])),
        );
        return matches.length === 0 ? `No line holds '${word}'.` : { matches };
      },
      sorted: ({ path }: Args) => ({ content: textAt("sorted", str(path)).split("\n").sort().join("\n") }),
      move: ({ from, to }: Args) => {
        const text = textAt("move", str(from));
        const path = target("move", str(to), str(from));
        texts.delete(full(str(from)));
        texts.set(path, text);
        return { result: `'${from}' moved to '${to}'` };
      },
      copy: ({ from, to }: Args) => {
        texts.set(target("copy", str(to), str(from)), textAt("copy", str(from)));
        return { result: `'${from}' copied to '${to}'` };
      },
      remove: ({ path, recursive }: Args) => {
        const at = full(str(path));
        const inside = (one: string) => one.startsWith(`${at}/`);
        if (folders.has(at)) {
          const held = [...folders, ...texts.keys()].filter(inside);
          if (held.length > 0 && recursive !== true) throw new Refusal(`remove: ${path}: folder is not empty`);
          for (const one of [at, ...held]) folders.delete(one) || texts.delete(one);
        } else if (!texts.delete(at)) throw new Refusal(`remove: ${path}: no such file`);
        return { result: `'${path}' removed` };
      },
    };
    const at = (path: string) => (parent(path) === home ? base(path) : path.slice(home.length + 1));
    const [one, two] = task.some(
      [...texts.keys()].filter((path) => path.endsWith(".txt")),
      2,
    ) as [string, string];
    const place = at(task.pick(places.slice(1)));
    const word = task.pick(WORDS);
    const said = line();
    const goal = task.between(0, 4);
    function* plan(): Plan {
      if (goal === 0) {
        yield call("enter", { path: at(parent(one)) || "." });
        yield call("read_text", { path: base(one) });
        yield call("write_text", { path: base(one), text: said, append: true });
        yield call("count", { path: base(one) });
      } else if (goal === 1) {
        yield call("make_folder", { name: word });
        yield call("move", { from: at(one), to: word });
        yield call("copy", { from: at(two), to: `${word}/${base(two)}` });
        yield call("list", { path: word });
        yield call("search", { word });
      } else if (goal === 2) {
        yield call("list", { path: place, order: "size" });
        yield call("remove", { path: place });
        yield call("remove", { path: place, recursive: true });
        yield call("list");
      } else if (goal === 3) {
        yield call("search", { word });
        yield call("sorted", { path: at(one) });
        yield call("write_text", { path: `${place}/${word}.txt`, text: said });
        yield call("enter", { path: place });
        yield call("read_text", { path: `${word}.txt`, first: 1, lines: 1 });
        yield call("where");
      } else {
        yield call("enter", { path: place });
        yield call("copy", { from: `${home}/${at(two)}`, to: `new-${base(two)}` });
        yield call("list");
        yield call("enter", { path: ".." });
        yield call("list", { show_hidden: true });
        yield call("count", { path: `${place}/new-${base(two)}` });
      }
    }
    return {
      request: `Please look after the files below ${home}: '${at(one)}', '${at(two)}', the folder '${place}' and what mentions ${word}.`,
      handlers,
      plan: plan(),
      stray: (random) =>
        random.pick([
          call("where"),
          call("list", {
            path: random.pick([undefined, undefined, place, home, ".."]),
            order: random.pick([undefined, "size"]),
          }),
          call("list"),
          call("read_text", { path: random.pick([at(one), base(two), `${word}.txt`]) }),
          call("search", { word: random.pick(WORDS) }),
          call("enter", { path: random.pick(["..", home, place, random.pick(FOLDERS)]) }),
          call("count", { path: at(two) }),
          call("remove", { path: random.pick([place, at(two), "trash.txt"]) }),
        ]),
    };
  },
};
