import type { Command, Option } from "commander";
import { UsageError } from "./arguments.ts";

/** What a shell may offer: each command with its options, and the tools that `call` and `tools` take. */
interface Offer {
  readonly commands: readonly { readonly name: string; readonly says: string; readonly options: readonly string[] }[];
  readonly tools: readonly string[];
}

const SHELLS = { bash, zsh, fish } as const;

/** Commands whose first word is a tool's name. */
const OF_TOOLS = ["call", "tools"] as const;

/** `svc completion SHELL`: the script that a shell reads to complete `svc`. Throws UsageError for a shell that is none of these. */
export async function completionScript(shell: string, program: Command): Promise<string> {
  const script = SHELLS[shell as keyof typeof SHELLS];
  if (!Object.hasOwn(SHELLS, shell))
    throw new UsageError("There are completions for bash, zsh and fish, not for:", [shell]);
  const { chapters } = await import("../../tools/index.ts");
  const tools = chapters.flatMap(({ operations }) => operations.map(({ name }) => name));
  const commands = program.commands.map((command) => ({
    name: command.name(),
    says: command.description().split(/[.:(]/, 1)[0] ?? "",
    options: command.options.map(({ long }: Option) => long ?? "").filter(Boolean),
  }));
  return script({ commands, tools: tools.toSorted() });
}

function bash({ commands, tools }: Offer): string {
  const cases = commands
    .filter(({ options }) => options.length > 0)
    .map(({ name, options }) => `    ${name}) words="${options.join(" ")}" ;;`);
  return `# svc completion for bash: eval "$(svc completion bash)"
_svc() {
  local cur=\${COMP_WORDS[COMP_CWORD]} words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} --help --version" -- "$cur"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
  if [[ "$cur" != -* ]]; then
    words=""
    if [ "$COMP_CWORD" -eq 2 ]; then
      case "\${COMP_WORDS[1]}" in
        ${OF_TOOLS.join("|")}) words="${tools.join(" ")}" ;;
        completion) words="${Object.keys(SHELLS).join(" ")}" ;;
      esac
    fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _svc svc proving-ground
`;
}

function zsh({ commands, tools }: Offer): string {
  const described = commands.map(({ name, says }) => `    '${name}:${says.replaceAll("'", "").replaceAll(":", "")}'`);
  const cases = commands
    .filter(({ options }) => options.length > 0)
    .map(({ name, options }) => `    ${name}) options=(${options.join(" ")}) ;;`);
  return `#compdef svc proving-ground
# svc completion for zsh: svc completion zsh > a folder of $fpath, as _svc
_svc() {
  local -a commands options tools
  commands=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "\${words[2]}" in
${cases.join("\n")}
  esac
  if [[ "$PREFIX" == -* ]]; then
    compadd -a options
    return
  fi
  if (( CURRENT == 3 )); then
    case "\${words[2]}" in
      ${OF_TOOLS.join("|")})
        tools=(${tools.join(" ")})
        compadd -a tools
        return ;;
      completion)
        compadd ${Object.keys(SHELLS).join(" ")}
        return ;;
    esac
  fi
  _files
}
if [ "$funcstack[1]" = "_svc" ]; then _svc "$@"; else compdef _svc svc proving-ground; fi
`;
}

function fish({ commands, tools }: Offer): string {
  const all = ["svc", "proving-ground"].flatMap((program) => [
    ...commands.map(
      ({ name, says }) =>
        `complete -c ${program} -n __fish_use_subcommand -f -a ${name} -d '${says.replaceAll("'", "")}'`,
    ),
    ...commands.flatMap(({ name, options }) =>
      options.map((option) => `complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`),
    ),
    `complete -c ${program} -n '__fish_seen_subcommand_from ${OF_TOOLS.join(" ")}; and test (count (commandline -opc)) -eq 2' -f -a '${tools.join(" ")}'`,
    `complete -c ${program} -n '__fish_seen_subcommand_from completion' -f -a '${Object.keys(SHELLS).join(" ")}'`,
  ]);
  return `# svc completion for fish: svc completion fish > ~/.config/fish/completions/svc.fish\n${all.join("\n")}\n`;
}
