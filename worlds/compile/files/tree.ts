/** The folder that a session starts in: paths are told from there. */
export const ROOT = "/";

/** What is known of one path; undefined is not known. */
export interface Entry {
  readonly there?: boolean | undefined;
  readonly folder?: boolean | undefined;
  readonly text?: string | undefined;
  /** Whether all entries of the folder are known, but for those whose names begin with a dot. */
  readonly whole?: boolean | undefined;
  /** Whether those are known too. */
  readonly dots?: boolean | undefined;
  /** Where it stands among the entries of its folder. */
  readonly at?: number | undefined;
}

export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/")) || ROOT;
export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
export const isWithin = (path: string, folder: string): boolean =>
  folder === ROOT ? path !== ROOT : path.startsWith(`${folder}/`);
export const within = (folder: string, name: string): string => `${folder === ROOT ? "" : folder}/${name}`;

/** A tree of folders and texts of which only a part is known. */
export class Tree {
  readonly entries: Map<string, Entry>;
  private next: number;

  constructor(entries: ReadonlyMap<string, Entry> = new Map([[ROOT, { there: true, folder: true }]]), next = 1000) {
    this.entries = new Map(entries);
    this.next = next;
  }

  /** What is known of a path, by itself or by the folders that it is in. */
  get(path: string): Entry {
    const own = this.entries.get(path);
    if (path === ROOT || own?.there !== undefined) return own ?? {};
    const parent = this.get(parentOf(path));
    const listed = parent.whole === true && (parent.dots === true || !nameOf(path).startsWith("."));
    return parent.there === false || parent.folder === false || listed ? { ...own, there: false } : (own ?? {});
  }

  put(path: string, entry: Entry): void {
    this.entries.set(path, entry);
  }

  /** Puts an entry behind all others of its folder. */
  append(path: string, entry: Entry): void {
    this.entries.delete(path);
    this.entries.set(path, { ...entry, there: true, at: this.next++ });
  }

  /** Paths of the entries of a folder in order, where all are known; `dots` with those whose names begin with a dot. */
  list(folder: string, dots: boolean): readonly string[] | undefined {
    const own = this.get(folder);
    if (own.there !== true || own.whole !== true || (dots && own.dots !== true)) return undefined;
    const out: (readonly [string, number])[] = [];
    for (const [path, { there, at }] of this.entries) {
      if (path === ROOT || parentOf(path) !== folder || there === false) continue;
      if (!dots && nameOf(path).startsWith(".")) continue;
      if (there === undefined) return undefined;
      out.push([path, at ?? 0]);
    }
    return out.sort((a, b) => a[1] - b[1]).map(([path]) => path);
  }

  /** Takes a path away, with all below it. */
  remove(path: string): void {
    for (const inner of [...this.entries.keys()]) if (isWithin(inner, path)) this.entries.delete(inner);
    this.entries.set(path, { there: false });
  }

  /** Puts a copy of what stands at a path, with all below it, at another one. */
  copy(from: string, to: string): void {
    const below = [...this.entries].filter(([path]) => isWithin(path, from));
    this.append(to, this.get(from));
    for (const [path, entry] of below) this.entries.set(`${to}${path.slice(from.length)}`, entry);
  }
}
