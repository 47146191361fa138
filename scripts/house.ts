import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseSync } from "oxc-parser";
import { importedPackages } from "./imported-packages.ts";

/** Folders that hold the product; `test` is counted apart. */
const PRODUCT = ["chapters", "src", "store", "tools", "worlds"] as const;
const MOST_FILES = 25;
const MOST_TEST_LINES = 400;
const MOST_DEPENDENCIES = 50;
const MOST_SUBJECT = 72;
const MOST_COMMENT = 140;

/** One thing that is counted: how many, what is wanted, and the first of them. */
interface Count {
  readonly what: string;
  readonly n: number;
  readonly wanted: number;
  readonly which: readonly string[];
}

const text = (path: string): string => readFileSync(path, "utf8");
const lines = (path: string): number => text(path).split("\n").length - 1;
const tracked = (folder: string): string[] =>
  execFileSync("git", ["ls-files", folder], { encoding: "utf8", maxBuffer: 1 << 26 })
    .split("\n")
    .filter((path) => path.endsWith(".ts"));

/** Folders with more TypeScript files directly in them than a reader takes in. */
function crowded(paths: readonly string[]): string[] {
  const sizes = new Map<string, number>();
  for (const path of paths) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1);
  return [...sizes].filter(([, n]) => n > MOST_FILES).map(([folder, n]) => `${folder} ${n}`);
}

/** Comment lines that are longer than a reader takes in; rows of tables and notes to the linter cannot be broken. */
function longComments(path: string): string[] {
  return text(path)
    .split("\n")
    .flatMap((line, i) =>
      line.length > MOST_COMMENT && /^\s*(?:\/\/|\/?\*)\s*(?![|]|biome-ignore)\S/.test(line)
        ? [`${path}:${i + 1}`]
        : [],
    );
}

/** The paths of this repository that a file imports, types included. */
function imports(path: string): string[] {
  return [...text(path).matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, to]) =>
    join(dirname(path), to as string),
  );
}

/** Pairs of chapters that import each other. */
function mutualChapters(paths: readonly string[]): string[] {
  const chapterOf = (path: string) => /^chapters\/([a-z-]+)\//.exec(path)?.[1];
  const arrows = new Set<string>();
  for (const path of paths) {
    const from = chapterOf(path);
    if (from === undefined) continue;
    for (const to of imports(path).flatMap((each) => chapterOf(each) ?? []))
      if (to !== from) arrows.add(`${from} ${to}`);
  }
  return [...arrows].filter((arrow) => {
    const [from = "", to = ""] = arrow.split(" ");
    return from < to && arrows.has(`${to} ${from}`);
  });
}

/** Operations whose handler does not lie at the path that mirrors its declaration. */
function unmirrored(paths: readonly string[]): string[] {
  return paths
    .filter((path) => /^tools\/(?!kernel)[a-z-]+\/.+\.ts$/.test(path) && basename(path) !== "index.ts")
    .flatMap((path) => {
      const source = text(path);
      const wanted = path.replace(/^tools/, "chapters");
      const from = new Map(
        [...source.matchAll(/import (?:type )?\{([^}]*)\} from "([^"]+)"/g)].flatMap(([, names = "", to = ""]) =>
          names
            .split(",")
            .map((name) => [name.replace(/^\s*type\s|.* as /, "").trim(), join(dirname(path), to)] as const),
        ),
      );
      return [...source.matchAll(/name: "([a-z_]+)"[\s\S]*?\n\s{2,}handle: (\w+)/g)].flatMap(
        ([, name, handler = ""]) => {
          const at = from.get(handler);
          return at === undefined || at === wanted ? [] : [`${name} ${at}`];
        },
      );
    });
}

/** Names of the contract: its fields keep them. */
function contractNames(): Set<string> {
  const names = new Set<string>();
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) walk(each);
    else if (typeof value === "object" && value !== null)
      for (const [key, each] of Object.entries(value)) {
        if (key === "properties" && typeof each === "object" && each !== null)
          Object.keys(each).forEach((k) => void names.add(k));
        walk(each);
      }
  };
  for (const path of execFileSync("git", ["ls-files", "test/contract/*.json"], { encoding: "utf8" }).trim().split("\n"))
    walk(JSON.parse(text(path)));
  return names;
}

/** A name that a file declares; a member's with that of its type, class or function. */
interface Declared {
  readonly name: string;
  readonly qualified: string;
}

/** The functions, types and members that a file declares. */
function declared(path: string): Declared[] {
  const names: Declared[] = [];
  const nameOf = (node: unknown): string | undefined => {
    const { type, name } = (node ?? {}) as { type?: string; name?: unknown };
    return type === "Identifier" && typeof name === "string" ? name : undefined;
  };
  const walk = (node: unknown, inside: string): void => {
    if (Array.isArray(node)) for (const each of node) walk(each, inside);
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    const fields = node as Record<string, unknown>;
    let owner = inside;
    switch (fields.type) {
      case "FunctionDeclaration":
      case "ClassDeclaration":
      case "TSTypeAliasDeclaration":
      case "TSInterfaceDeclaration": {
        const name = nameOf(fields.id);
        if (name !== undefined) names.push({ name, qualified: name });
        owner = name ?? inside;
        break;
      }
      case "VariableDeclarator":
        if (inside === "") owner = nameOf(fields.id) ?? inside;
        break;
      case "TSPropertySignature":
      case "TSMethodSignature":
      case "PropertyDefinition":
      case "MethodDefinition": {
        const name = nameOf(fields.key);
        if (name !== undefined) names.push({ name, qualified: `${inside}.${name}` });
        break;
      }
    }
    for (const each of Object.values(fields)) walk(each, owner);
  };
  walk(parseSync(path, text(path)).program, "");
  return names;
}

const wordsOf = (name: string): string[] =>
  name.split(/[-_.]|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());

/**
 * Home-made words in the names of files, functions, types and fields, each with how often it is used. Names of the contract
 * and the exceptions of `house-words.json`, each with its reason, are right where they stand.
 */
function houseWords(paths: readonly string[]): Map<string, number> {
  const { words, exceptions } = JSON.parse(text("scripts/house-words.json")) as Record<string, Record<string, string>>;
  const house = new Set(Object.keys(words ?? {}));
  const right = new Set([...Object.keys(exceptions ?? {}), ...contractNames()]);
  const found = new Map<string, number>();
  for (const path of paths)
    for (const { name, qualified } of [{ name: basename(path, ".ts"), qualified: basename(path) }, ...declared(path)])
      if (!right.has(name) && !right.has(qualified))
        for (const word of wordsOf(name)) if (house.has(word)) found.set(word, (found.get(word) ?? 0) + 1);
  return found;
}

/** Subjects of commits since the rule stands that are too long or name no area. */
function subjects(since: string): string[] {
  const log = execFileSync("git", ["log", "--no-merges", "--format=%s", `${since}..HEAD`], { encoding: "utf8" });
  return log.split("\n").filter((line) => line !== "" && (line.length > MOST_SUBJECT || !/^[\w/.-]+: \S/.test(line)));
}

function counts(): Count[] {
  const product = PRODUCT.flatMap(tracked);
  const tests = tracked("test");
  const words = houseWords(product);
  const dependencies = importedPackages(".");
  const of = (what: string, wanted: number, which: readonly string[]): Count => ({
    what,
    n: which.length,
    wanted,
    which,
  });
  const used = [...words].sort(([, a], [, b]) => b - a).map(([word, n]) => `${word} ${n}`);
  return [
    {
      what: "lines of product TypeScript",
      n: product.reduce((sum, path) => sum + lines(path), 0),
      wanted: 112_000,
      which: [],
    },
    of(`folders of more than ${MOST_FILES} files`, 0, crowded([...product, ...tests])),
    of("pairs of chapters that import each other", 0, mutualChapters(product)),
    of("operations whose handler is not at the mirrored path", 0, unmirrored(product)),
    { what: "home-made words in names", n: [...words.values()].reduce((sum, n) => sum + n, 0), wanted: 0, which: used },
    of(
      `test files of more than ${MOST_TEST_LINES} lines`,
      0,
      tests.filter((path) => lines(path) > MOST_TEST_LINES),
    ),
    of(`comment lines of more than ${MOST_COMMENT} characters`, 0, [...product, ...tests].flatMap(longComments)),
    { what: "direct dependencies", n: dependencies.length, wanted: MOST_DEPENDENCIES, which: dependencies },
  ];
}

/** `node scripts/house.ts [--all] [--since COMMIT]`: prints how the code stands against its own rules, what is beyond one first. */
function main(args: readonly string[]): void {
  const all = args.includes("--all");
  const since = args[args.indexOf("--since") + 1];
  const rows = counts();
  if (args.includes("--since") && since !== undefined) {
    const which = subjects(since);
    rows.push({ what: "commit subjects against the rule", n: which.length, wanted: 0, which });
  }
  for (const { what, n, wanted, which } of rows) {
    console.log(`${n > wanted ? "over" : "ok  "}  ${what}: ${n} (at most ${wanted})`);
    if (n > wanted) for (const each of which.slice(0, all ? which.length : 8)) console.log(`        ${each}`);
  }
}

main(process.argv.slice(2));
