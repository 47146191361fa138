import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";
import type { Guarded, IsolationSettings } from "./settings.ts";

/** What an agent's definition says of files: its command, its working folder, its values. */
export interface Named {
  readonly command: readonly string[];
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** Where system configuration and state lie, and how deep they are looked at for what others may not read. */
const SEARCHED: readonly (readonly [string, number])[] = [
  ["/etc", 3],
  ["/var", 3],
];
/** A large `/var` is not looked through for longer than a start may take: at 10 µs an entry, a fifth of a second. */
const MOST_ENTRIES = 20_000;
/** Where programs keep credentials in a person's folder: naming one of them does not show it. */
const CREDENTIALS = new Set(
  ".ssh .aws .azure .config .docker .gnupg .kube .netrc .npmrc .pgpass .pypirc .git-credentials".split(" "),
);
/** Folders of a person that hold much beside programs. */
const BESIDE_MUCH = new Set([".local", ".cargo"]);
/** What the top folder of a program's files holds. */
const MARKS = ["package.json", "pyproject.toml", "requirements.txt", "setup.py", "node_modules", ".venv", ".git"];
/** Paths that one definition may name: far more than any does. */
const MOST_NAMED = 64;

/**
 * Which folders of this machine agents do not see. Personal folders are hidden whole, and of them is shown what runs the
 * agent; of the system's folders what only this user may read is hidden, and every socket.
 */
export class VisibleFolders {
  readonly #areas: readonly string[];
  readonly #guarded: readonly string[];
  readonly #private: readonly { readonly path: string; readonly folder: boolean }[];
  readonly #settings: Pick<IsolationSettings, "folders" | "local">;

  constructor(guarded: Guarded, settings: Pick<IsolationSettings, "folders" | "local">) {
    this.#areas = outermost(guarded.areas.map(real).filter((path) => path !== "/"));
    this.#guarded = outermost(guarded.folders.map(real));
    const hidden = [...this.#areas, ...this.#guarded];
    this.#private = hiddenFromOthers().filter(({ path }) => !hidden.some((one) => path.startsWith(`${one}/`)));
    this.#settings = settings;
  }

  /**
   * The mounts that hide and show, as arguments of bubblewrap, in their order. `shown` and `written` lie in a guarded
   * folder and are shown all the same, the first read-only.
   */
  mounts(named: Named, shown: readonly string[], written: readonly string[] = []): string[] {
    const folders = [...this.#areas.filter((area) => area !== "/tmp"), ...this.#guarded].filter(existsSync);
    const visible = this.#visible(named);
    return [
      ...this.#areas.filter((area) => area !== "/tmp" && existsSync(area)).flatMap(emptyFolder),
      ...visible.flatMap((path) => ["--ro-bind", path, path]),
      ...visible.flatMap(socketsIn).flatMap((path) => ["--ro-bind", "/dev/null", path]),
      ...this.#guarded.filter(existsSync).flatMap(emptyFolder),
      ...this.#private.flatMap(({ path, folder }) => (folder ? emptyFolder(path) : ["--ro-bind", "/dev/null", path])),
      ...shown.flatMap((path) => ["--ro-bind", path, path]),
      ...written.flatMap((path) => ["--bind", path, path]),
      ...[...folders, ...this.#private.flatMap(({ path, folder }) => (folder ? [path] : []))].flatMap((path) => [
        "--remount-ro",
        path,
      ]),
    ];
  }

  /** What runs an agent and lies in a personal folder. */
  #visible(named: Named): string[] {
    const programs = (process.env.PATH ?? "").split(delimiter).flatMap((folder) => this.#prefixOf(folder));
    const own = this.#settings.local ? this.#namedBy(named) : [];
    const paths = [...this.#settings.folders, ...programs, process.execPath, ...own];
    return outermost(paths.filter((path) => isAbsolute(path) && this.#isHidden(path) && existsSync(path)));
  }

  /** A folder of programs with the libraries beside it. */
  #prefixOf(folder: string): string[] {
    if (!isAbsolute(folder) || !this.#isHidden(folder)) return [];
    const above = dirname(folder);
    if (!/^(?:s?bin|\.bin|shims)$/.test(basename(folder)) || !this.#isHidden(above)) return [folder];
    if (!BESIDE_MUCH.has(basename(above))) return [above];
    return ["bin", "lib", join("share", "uv"), join("share", "pipx")].map((name) => join(above, name));
  }

  #namedBy({ command, cwd, env }: Named): string[] {
    const words = [...command, ...Object.values(env)].flatMap((text) => text.match(/\/[^\s'"`;:|&<>()$=,]+/g) ?? []);
    const relative =
      cwd === undefined ? [] : [cwd, ...command.filter((word) => word !== "").map((word) => resolve(cwd, word))];
    const paths = [...relative, ...words].slice(0, MOST_NAMED).filter((path) => this.#isHidden(path));
    return paths.flatMap((path) => (existsSync(path) ? [path, real(path)] : [])).flatMap((path) => this.#placeOf(path));
  }

  /** The files that belong to what a path names: never a whole personal folder. */
  #placeOf(path: string): string[] {
    if (!this.#isHidden(path) || path.split(sep).some((part) => CREDENTIALS.has(part))) return [];
    const what = statSync(path);
    if (what.isSocket()) return [];
    const folder = what.isDirectory() ? path : dirname(path);
    if (!this.#isHidden(folder)) return [path];
    if (basename(folder) === "bin") return this.#prefixOf(folder);
    for (let up = folder; this.#isHidden(up); up = dirname(up))
      if (MARKS.some((mark) => existsSync(join(up, mark)))) return [up];
    return [folder];
  }

  /** Whether a path lies inside a personal folder; such a folder does not lie in itself, nor a home in the folder of all. */
  #isHidden(path: string): boolean {
    const area = this.#areas.find((one) => path.startsWith(`${one}/`));
    return area !== undefined && !(area === "/home" && dirname(path) === "/home");
  }
}

function emptyFolder(path: string): string[] {
  return ["--perms", "0755", "--size", "65536", "--tmpfs", path];
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** Without repeats and without what lies in another of them. */
function outermost(paths: readonly string[]): string[] {
  const all = [...new Set(paths)];
  return all.filter((path) => !all.some((other) => other !== path && path.startsWith(`${other}/`)));
}

/** A folder that is shown may be one in which a program listens: whoever sees its socket can speak with it. */
function socketsIn(folder: string): string[] {
  const entries = attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => (entry.isSocket() ? [join(folder, entry.name)] : []));
}

function hiddenFromOthers(): { path: string; folder: boolean }[] {
  const found: { path: string; folder: boolean }[] = [];
  let left = MOST_ENTRIES;
  const look = (folder: string, depth: number): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (--left < 0) return;
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) continue;
      if (entry.isSocket()) found.push({ path, folder: false });
      else if (entry.isDirectory() || entry.isFile()) {
        if (isPrivate(path, entry.isDirectory())) found.push({ path, folder: entry.isDirectory() });
        else if (entry.isDirectory() && depth > 1) attempt(() => look(path, depth - 1));
      }
    }
  };
  for (const [folder, depth] of SEARCHED) attempt(() => look(folder, depth));
  return found;
}

/** Whether this user may read it, without more rights than its own, and others may not. */
function isPrivate(path: string, folder: boolean): boolean {
  const open = folder ? 0o005 : 0o004;
  return (
    attempt(() => {
      const { mode, uid, gid } = statSync(path);
      if ((mode & open) === open) return false;
      if (uid === process.getuid?.()) return true;
      return (process.getgroups?.() ?? []).includes(gid) && (mode & 0o040) !== 0;
    }) ?? false
  );
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
