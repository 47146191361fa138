import { z } from "zod";

const seconds = z.number().positive();
const texts = z.record(z.string(), z.string());
/** A network policy's fields, which stand beside others in three sections. */
const network = {
  network_mode: z.enum(["no-network", "public", "allowlist"]).optional(),
  allowed_hosts: z.array(z.string()).optional(),
};
const user = z.union([z.string(), z.number().int()]).optional();

const McpServer = z.discriminatedUnion("transport", [
  z.strictObject({ name: z.string(), transport: z.enum(["sse", "streamable-http"]), url: z.url() }),
  z.strictObject({
    name: z.string(),
    transport: z.literal("stdio"),
    command: z.string(),
    args: z.array(z.string()).optional(),
  }),
]);

const EnvironmentSection = z.strictObject({
  ...network,
  build_timeout_sec: seconds.optional(),
  docker_image: z.string().optional(),
  os: z.enum(["linux", "windows"]).optional(),
  cpus: z.number().int().positive().optional(),
  memory_mb: z.number().int().positive().optional(),
  storage_mb: z.number().int().positive().optional(),
  gpus: z.number().int().optional(),
  gpu_types: z.array(z.string()).optional(),
  tpu: z.strictObject({ type: z.string(), topology: z.string() }).optional(),
  env: texts.optional(),
  mcp_servers: z.array(McpServer).optional(),
  skills_dir: z.string().optional(),
  healthcheck: z
    .strictObject({
      command: z.string().min(1),
      interval_sec: seconds.optional(),
      timeout_sec: seconds.optional(),
      start_period_sec: z.number().min(0).optional(),
      start_interval_sec: seconds.optional(),
      retries: z.number().int().positive().optional(),
    })
    .optional(),
});

/**
 * A `task.toml` by the fields that Harbor's page "Task Structure" documents for schema 1.3 (read in November 2026), without
 * deprecated ones. Harbor ignores what it does not know; here an unknown member fails, since it would do nothing there.
 */
export const TaskToml = z.strictObject({
  schema_version: z.literal("1.3"),
  task: z.strictObject({
    name: z.string().regex(/^[A-Za-z0-9_-][\w.-]*\/[A-Za-z0-9_-][\w.-]*$/),
    description: z.string().optional(),
    authors: z.array(z.strictObject({ name: z.string(), email: z.string().optional() })).optional(),
    keywords: z.array(z.string()).optional(),
  }),
  metadata: z.record(z.string(), z.unknown()),
  verifier: z
    .strictObject({
      ...network,
      timeout_sec: seconds.optional(),
      env: texts.optional(),
      user,
      environment_mode: z.enum(["shared", "separate"]).optional(),
      environment: EnvironmentSection.optional(),
    })
    .optional(),
  agent: z.strictObject({ ...network, timeout_sec: seconds.optional(), user }).optional(),
  solution: z.strictObject({ env: texts.optional() }).optional(),
  environment: EnvironmentSection.optional(),
  source: z.string().optional(),
});
