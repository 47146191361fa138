import { PgDialect } from "../../store/drizzle.ts";
import type { Engine } from "../../store/engine.ts";
import { renderer } from "../../store/render.ts";
import type { Program, Step } from "../../store/statement.ts";

/** A statement that a repository ran, in PostgreSQL's words, with the values of its last run. */
export interface Ran {
  readonly text: string;
  readonly values: readonly (string | number | Uint8Array | null)[];
  /** The org whose repository ran it; undefined where the workspace's own did. */
  readonly org: string | undefined;
}

/** An engine that passes all work on and keeps what was run, each text once per kind of engine. */
export class RecordingEngine implements Engine {
  readonly dialect: Engine["dialect"];
  readonly rowsPerInsert: number;
  readonly #inner: Engine;
  readonly #org: string | undefined;
  readonly #ran: Map<string, Ran>;
  readonly #render: ReturnType<typeof renderer>;

  constructor(inner: Engine, of: { org?: string; ran?: Map<string, Ran>; render?: ReturnType<typeof renderer> } = {}) {
    this.#inner = inner;
    this.dialect = inner.dialect;
    this.rowsPerInsert = inner.rowsPerInsert;
    this.#org = of.org;
    this.#ran = of.ran ?? new Map();
    this.#render = of.render ?? renderer(new PgDialect());
  }

  /** What was run since the last asking. */
  take(): Ran[] {
    const ran = [...this.#ran.values()];
    this.#ran.clear();
    return ran;
  }

  forOrg(org: string): Engine {
    return new RecordingEngine(this.#inner.forOrg(org), { org, ran: this.#ran, render: this.#render });
  }

  read<T>(program: () => Program<T>): Promise<T> {
    return this.#inner.read(() => this.#noted(program()));
  }

  write<T>(program: () => Program<T>): Promise<T> {
    return this.#inner.write(() => this.#noted(program()));
  }

  writeOne<T>(program: () => Program<T>): Promise<T> {
    return this.#inner.writeOne(() => this.#noted(program()));
  }

  vacuum(): Promise<void> {
    return this.#inner.vacuum();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  *#noted<T>(program: Program<T>): Program<T> {
    let step = program.next();
    while (!step.done) {
      this.#note(step.value);
      step = program.next(yield step.value);
    }
    return step.value;
  }

  #note(step: Step): void {
    if (step.do === "exclude") return;
    const { sql: text, bind } = this.#render(step.statement);
    this.#ran.set(`${this.#org === undefined} ${text}`, { text, values: bind(step.values), org: this.#org });
  }
}
