import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";
import type { Guarded, IsolationSettings } from "./settings.ts";

/** What an agent's definition says of files: its command, its working folder, its values. */
export interface Named {
  readonly command: readonly string[];
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** How deep the system's folders are looked at for what others may not read. */
const DEPTH = 3;
/** What of a large `/var` is not looked at is hidden whole: at 5 µs an entry this takes a tenth of a second. */
const MOST_ENTRIES = 20_000;
/** Files come and go while the service runs: it looks again after this, and for a fiftieth of the time at most. */
const LOOK_AGAIN_MS = 1_000;
const SHARE = 50;
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
  readonly #searched: readonly string[];
  #private: readonly Hidden[] = [];
  #looksAgainAt = 0;
  readonly #settings: Pick<IsolationSettings, "folders" | "local">;

  constructor(guarded: Guarded, settings: Pick<IsolationSettings, "folders" | "local">) {
    this.#areas = outermost(guarded.areas.map(real).filter((path) => path !== "/"));
    this.#guarded = outermost(guarded.folders.map(real));
    this.#searched = guarded.searched.map(real);
    this.#settings = settings;
  }

  /**
   * The mounts that hide and show, as arguments of bubblewrap, in their order. `shown` and `written` lie in a guarded
   * folder and are shown all the same, the first read-only.
   */
  mounts(named: Named, shown: readonly string[], written: readonly string[] = []): string[] {
    const areas = this.#areas.filter((area) => area !== "/tmp" && existsSync(area));
    const visible = this.#visible(named);
    const kept = this.#hidden();
    const folders = outermost([...this.#guarded, ...kept.flatMap(({ path, folder }) => (folder ? [path] : []))]);
    const files = kept.filter(({ path, folder }) => !folder && !liesIn(path, folders));
    const emptied = folders.filter(existsSync);
    return [
      ...areas.flatMap(emptyFolder),
      ...visible.flatMap((path) => ["--ro-bind", path, path]),
      ...visible.flatMap(socketsIn).flatMap((path) => ["--ro-bind", "/dev/null", path]),
      ...emptied.flatMap(emptyFolder),
      // One that has gone meanwhile could not be covered, and nothing would start.
      ...files.filter(({ path }) => existsSync(path)).flatMap(({ path }) => ["--ro-bind", "/dev/null", path]),
      ...shown.flatMap((path) => ["--ro-bind", path, path]),
      ...written.flatMap((path) => ["--bind", path, path]),
      ...[...areas, ...emptied].flatMap((path) => ["--remount-ro", path]),
    ];
  }

  /** What of the system's folders only this user may read, as it was a moment ago. */
  #hidden(): readonly Hidden[] {
    const began = performance.now();
    if (began < this.#looksAgainAt) return this.#private;
    const covered = [...this.#areas, ...this.#guarded];
    this.#private = hiddenFromOthers(this.#searched).filter(({ path }) => !liesIn(path, covered));
    const ended = performance.now();
    this.#looksAgainAt = ended + Math.max(LOOK_AGAIN_MS, SHARE * (ended - began));
    return this.#private;
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
  return all.filter((path) => !liesIn(path, all));
}

function liesIn(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`));
}

/** A folder that is shown may be one in which a program listens: whoever sees its socket can speak with it. */
function socketsIn(folder: string): string[] {
  const entries = attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => (entry.isSocket() ? [join(folder, entry.name)] : []));
}

interface Hidden {
  readonly path: string;
  readonly folder: boolean;
}

function hiddenFromOthers(searched: readonly string[]): Hidden[] {
  const found: Hidden[] = [];
  const waiting: [string, number][] = searched.map((folder) => [folder, DEPTH]);
  let left = MOST_ENTRIES;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [folder, depth] = next;
    const entries = attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
    left -= entries.length;
    if (left < 0) {
      found.push({ path: folder, folder: true });
      continue;
    }
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isSocket()) found.push({ path, folder: false });
      else if (entry.isDirectory() || entry.isFile()) {
        if (isPrivate(path, entry.isDirectory())) found.push({ path, folder: entry.isDirectory() });
        else if (entry.isDirectory() && depth > 1) waiting.push([path, depth - 1]);
      }
    }
  }
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
