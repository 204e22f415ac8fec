/** Folders whose files are run, or read as instructions, by programs of the person: Git, editors, agents, servers for builds. */
const FOLDERS = new Set(
  `.git .vscode .idea .zed .cursor .devcontainer .husky .yarn .cargo .agents .claude .codex .gemini .tackle .circleci .buildkite
  .forgejo .gitea .woodpecker .ssh`.split(/\s+/),
);
/** The same, with the folder that they lie in. */
const NESTED = new Set(
  `.github/workflows .github/actions .github/hooks .config/fish .config/git .config/autostart .config/systemd .config/nvim
  .config/direnv .local/bin`.split(/\s+/),
);
/** `HEAD`: with two folders beside it, any folder is a repository, and git obeys the settings in it. */
const FILES = new Set(
  `head .gitattributes .gitmodules .gitconfig .envrc mise.toml .mise.toml .nvim.lua .exrc .vimrc .nvimrc .dir-locals.el .gdbinit
  .lldbinit package.json .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs pnpm-workspace.yaml bunfig.toml binding.gyp
  .pre-commit-config.yaml lefthook.yml .lefthook.yml sitecustomize.py usercustomize.py .bashrc .bash_profile .bash_login
  .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc .xprofile
  .xinitrc .xsessionrc .tmux.conf .screenrc .irbrc .rprofile .psqlrc .sqliterc agents.md agents.override.md claude.md
  claude.local.md gemini.md skill.md .cursorrules .windsurfrules .clinerules .mcp.json mcp.json copilot-instructions.md
  .gitlab-ci.yml .travis.yml azure-pipelines.yml jenkinsfile bitbucket-pipelines.yml .drone.yml .woodpecker.yml .appveyor.yml
  appveyor.yml cloudbuild.yaml`.split(/\s+/),
);
const ENDINGS = /\.(?:code-workspace|pth)$/;

/**
 * True for a path, relative to its root, whose content is run later, outside of the sandbox, without anybody starting it by name.
 * `holds`: also for a folder in which such paths lie, because it may be moved into place whole.
 */
export function runsLater(path: string, { holds = false } = {}): boolean {
  // File systems may ignore case, and Windows ignores dots and spaces at the end.
  const parts = path
    .normalize("NFC")
    .toLowerCase()
    .split(/[\\/]+/)
    .map((part) => part.replace(/(?<=[^. ])[. ]+$/, ""))
    .filter((part) => part !== "" && part !== ".");
  const last = parts.at(-1) ?? "";
  return (
    FILES.has(last) ||
    ENDINGS.test(last) ||
    parts.some((part, at) => FOLDERS.has(part) || NESTED.has(`${part}/${parts[at + 1]}`)) ||
    (holds && [...NESTED].some((nested) => nested.startsWith(`${last}/`)))
  );
}
