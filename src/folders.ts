import { homedir } from "node:os";
import { join } from "node:path";

const NAME = "proving-ground";

/** Where this program keeps a person's files: `data` that it makes, `config` that they chose. Throws where there is no home folder. */
export function personFolders(
  platform: NodeJS.Platform = process.platform,
  env: Readonly<Record<string, string | undefined>> = process.env,
  home: string = homedir(),
): { readonly data: string; readonly config: string } {
  if (platform === "darwin") {
    const library = join(home, "Library");
    return { data: join(library, "Application Support", NAME), config: join(library, "Preferences", NAME) };
  }
  if (platform === "win32") {
    const local = env.LOCALAPPDATA || join(home, "AppData", "Local");
    const roaming = env.APPDATA || join(home, "AppData", "Roaming");
    return { data: join(local, NAME, "Data"), config: join(roaming, NAME, "Config") };
  }
  // The XDG base directory specification.
  return {
    data: join(env.XDG_DATA_HOME || join(home, ".local", "share"), NAME),
    config: join(env.XDG_CONFIG_HOME || join(home, ".config"), NAME),
  };
}
