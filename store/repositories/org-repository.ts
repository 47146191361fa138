import type { Engine } from "../engine.ts";

/** What a repository of one org works with: its engine, and the org that every statement of it names. */
export abstract class OrgRepository {
  protected readonly engine: Engine;
  protected readonly org: string;

  constructor(engine: Engine, org: string) {
    this.engine = engine;
    this.org = org;
  }
}
