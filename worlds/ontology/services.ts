const SEPARATORS = [/^mcp__([^_]+(?:_[^_]+)*)__/, /^([A-Za-z][\w-]*?)__/, /^([A-Za-z][\w-]*)[./:]/];

/** The service that a tool belongs to: what stands before its name (`files.read`, `crm__get_user`), else the system's own name. */
export function serviceOf(tool: string, system: string): string {
  for (const pattern of SEPARATORS) {
    const found = pattern.exec(tool)?.[1];
    if (found !== undefined) return found;
  }
  return system;
}
