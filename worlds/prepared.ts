import { type ArgumentCheck, argumentCheck, requiredArguments } from "./arguments.ts";
import { compileBehaviour, type Program } from "./behaviour/program.ts";
import type { Bundle, CompanionModel, Rendering, ToolBehaviour, ToolDefinition } from "./bundle.ts";
import { ConfidenceEstimates } from "./confidence.ts";
import { canonicalJson } from "./digest.ts";
import { WorldError } from "./errors.ts";
import { PreparedFootprint } from "./footprint.ts";
import type { JsonObject } from "./json.ts";
import { Memory } from "./memory/index.ts";
import { PreparedAnswer } from "./recorded.ts";
import { Renderer } from "./rendering.ts";
import { type FrozenBase, prepareBase } from "./state/base.ts";
import { startOf } from "./state/group-start.ts";

const PLAIN: Rendering = { form: "json", error_flag: true };

/** One tool made ready to be called by any number of worlds; each part is compiled when it is first needed. */
export class PreparedTool {
  readonly definition: ToolDefinition;
  readonly effect: "read" | "write" | undefined;
  readonly errorFlag: boolean;
  readonly renderer: Renderer;
  /** What of the state becomes unknown where a call of the tool is not understood. */
  readonly footprint: PreparedFootprint | undefined;
  private readonly bundle: Bundle;
  private readonly source: ToolBehaviour | undefined;
  private checker: ArgumentCheck | undefined;
  private compiled: Program | WorldError | null | undefined;
  private answers: ReadonlyMap<string, PreparedAnswer> | undefined;

  constructor(definition: ToolDefinition, bundle: Bundle) {
    this.definition = definition;
    this.bundle = bundle;
    this.source = Object.hasOwn(bundle.behaviours, definition.name) ? bundle.behaviours[definition.name] : undefined;
    const rendering = this.source?.rendering ?? PLAIN;
    this.effect = this.source?.effect;
    this.errorFlag = rendering.error_flag;
    this.renderer = new Renderer(rendering);
    const { footprints = {} } = bundle;
    const footprint = Object.hasOwn(footprints, definition.name) ? footprints[definition.name] : undefined;
    this.footprint = footprint && new PreparedFootprint(footprint, bundle.tables);
  }

  /** What of these arguments does not fit the tool's schema; undefined when they fit. */
  get check(): ArgumentCheck {
    this.checker ??= argumentCheck(this.definition.inputSchema);
    return this.checker;
  }

  /** The required argument that a call lacks, where that is all that does not fit the tool's schema. */
  lacks(args: JsonObject): string | undefined {
    const { inputSchema } = this.definition;
    const [name, ...others] = requiredArguments(inputSchema).filter((one) => !Object.hasOwn(args, one));
    if (name === undefined || others.length > 0) return undefined;
    return argumentCheck({ ...inputSchema, required: [] })(args) === undefined ? name : undefined;
  }

  /** The compiled behaviour; null when the tool has none, the error when it does not compile. */
  get program(): Program | WorldError | null {
    if (this.compiled === undefined) {
      try {
        this.compiled = this.source ? compileBehaviour(this.source.behaviour, this.bundle) : null;
      } catch (error) {
        if (!(error instanceof WorldError)) throw error;
        this.compiled = error;
      }
    }
    return this.compiled;
  }

  /** Whether the tool has recorded answers at all. */
  get hasRecorded(): boolean {
    return this.recordedAnswers.size > 0;
  }

  /** The recorded answer of exactly these arguments, given as canonical JSON. */
  recorded(args: string): PreparedAnswer | undefined {
    return this.recordedAnswers.get(args);
  }

  private get recordedAnswers(): ReadonlyMap<string, PreparedAnswer> {
    if (this.answers === undefined) {
      const answers = new Map<string, PreparedAnswer>();
      for (const recorded of this.bundle.exceptions) {
        if (recorded.tool !== this.definition.name) continue;
        answers.set(canonicalJson(recorded.args), new PreparedAnswer(recorded));
      }
      this.answers = answers;
    }
    return this.answers;
  }
}

/** A companion made ready: a bundle of its own, with the start of each task. */
export class PreparedCompanion {
  readonly tools: ReadonlySet<string>;
  readonly prepared: PreparedBundle;
  private readonly model: CompanionModel;
  private readonly starts = new Map<string, FrozenBase>();

  constructor(model: CompanionModel, { v, name, now, tools, user_tools }: Bundle) {
    const { tables, behaviours, exceptions, footprints, trust } = model;
    this.model = model;
    this.tools = new Set(model.tools);
    const own = { v, name, now, tools, user_tools, tables, behaviours, exceptions, gaps: [], footprints, trust };
    this.prepared = new PreparedBundle(own);
  }

  /** The state that sessions of a task start with. */
  start(task: string | undefined): FrozenBase {
    const { base } = this.model;
    const own = task !== undefined && base.starts !== undefined && Object.hasOwn(base.starts, task);
    const name = own ? `of ${task}` : "";
    const frozen = this.starts.get(name) ?? prepareBase(own ? startOf(base, task) : base);
    this.starts.set(name, frozen);
    return frozen;
  }
}

/** A bundle made ready: what is compiled is shared by every world made of it. */
export class PreparedBundle {
  readonly bundle: Bundle;
  readonly tools: ReadonlyMap<string, PreparedTool>;
  /** Tools of the user's side alone. */
  readonly userTools: ReadonlyMap<string, PreparedTool>;
  /** Tables of the compiler's own: what changes in them is nothing of the system. */
  readonly internal: ReadonlySet<string>;
  /** How far behaviours are trusted; undefined in bundles without estimates. */
  readonly confidence: ConfidenceEstimates | undefined;
  /** What sessions were answered that behaviours do not say. */
  readonly memory: Memory | undefined;
  /** Other ways to explain the service, in the order in which they are asked. */
  readonly companions: readonly PreparedCompanion[];

  constructor(bundle: Bundle) {
    this.bundle = bundle;
    this.confidence = bundle.trust && new ConfidenceEstimates(bundle.trust);
    this.internal = new Set(bundle.tables.flatMap(({ name, internal }) => (internal ? [name] : [])));
    this.companions = (bundle.companions ?? []).map((model) => new PreparedCompanion(model, bundle));
    this.memory = bundle.memory && new Memory(bundle.memory);
    const ready = (tools: readonly ToolDefinition[]) =>
      new Map(tools.map((tool) => [tool.name, new PreparedTool(tool, bundle)]));
    this.tools = ready(bundle.tools);
    this.userTools = ready(bundle.user_tools ?? []);
  }

  /** A tool that the listing lacks, as far as it takes to repeat what calls of it were answered. */
  unlisted(name: string): PreparedTool {
    return new PreparedTool({ name, inputSchema: {} }, this.bundle);
  }
}

/** Prepares a bundle for any number of worlds; tools compile at their first call. The bundle must not change afterwards. */
export function prepare(bundle: Bundle): PreparedBundle {
  return new PreparedBundle(bundle);
}
