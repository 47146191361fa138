import { inWords } from "./words.ts";

/** Kinds of jobs in plain words; a kind that is not here is told by its own name. */
export const JOB_WORDS: Readonly<Record<string, string>> = {
  after_ingest: "look through new traces",
  agent_detect: "find how an agent is started",
  agent_discover: "find what an agent can do",
  agent_onboard: "set up an agent",
  agent_scan: "find agents in a repository",
  audit_environment: "audit of a sandbox",
  author_tasks: "writing of tasks anew",
  call: "a call made later",
  coverage_worldplans: "sandboxes of an upload's traces",
  dimensions_derive: "finding of dimensions",
  evaluate_online: "judging of production traces",
  extract_attributes: "reading of attributes",
  extract_documents: "reading of documents",
  failure_mode_tasks: "tasks for a failure mode",
  find_failure: "search for a failure mode",
  generate_environments: "build of sandboxes",
  mint_sandbox: "drawing of a sandbox",
  ontology_compile: "compile of an ontology",
  ontology_relations: "reading of relations",
  persona_draw: "tasks of a persona",
  pipeline: "build of a world",
  reconvert_evidence: "reading of an upload anew",
  rereview: "review of tasks once more",
  reserve_tasks: "tasks in reserve",
  retention: "removal of what is too old",
  review: "review of tasks",
  run: "run on one sandbox",
  run_finish: "end of a run",
  run_group: "run",
  served_repo: "connecting of a repository",
  server_ref: "reading of a server's version",
  source_sync: "pull from a source",
  worldplan: "plan of sandboxes",
  write_path_count: "count of an agent's writes",
};

/** What a kind of job does, in words. */
export const jobWords = (kind: string): string => JOB_WORDS[kind] ?? inWords(kind);
