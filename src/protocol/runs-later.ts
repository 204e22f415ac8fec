/** Folders whose files are run, or read as instructions, by programs of the person: version control, editors, agents, servers for builds. */
const FOLDERS = new Set(
  `.git git~1 .githooks .vscode .idea .zed .cursor .devcontainer .helix .fleet .vim .nvim .emacs.d .bsp .mvn .husky .lefthook
  .yarn .cargo .shadowenv.d .agents .claude .codex .gemini .tackle .opencode .windsurf .clinerules .kiro .roo
  .continue .junie .amazonq .augment .qwen .goose .trae .circleci .buildkite .forgejo .gitea .woodpecker .semaphore .teamcity .tekton
  .azure-pipelines .builds .gitpod .idx .codesandbox .ssh .gnupg .kube .aws .docker .ipython .jupyter cron.d launchagents`.split(
    /\s+/,
  ),
);
/** The same, with the folder that they lie in. */
const NESTED = new Set(
  `.github/workflows .github/actions .github/hooks .github/instructions .github/prompts .github/agents .github/chatmodes
  .config/fish .config/git .config/autostart .config/systemd .config/environment.d .config/nvim .config/helix .config/emacs
  .config/direnv .config/mise .config/zsh .config/bash .config/tmux .config/kitty .config/i3 .config/sway .config/hypr
  .config/nushell .config/pip .config/opencode .local/bin gradle/wrapper`.split(/\s+/),
);
/** `HEAD`: with two folders beside it, any folder is a repository, and git obeys the settings in it. */
const FILES = new Set(
  `head .gitattributes .gitmodules .gitconfig hgrc .hgrc .envrc .autoenv .autoenv.zsh mise.toml .mise.toml mise.local.toml
  .mise.local.toml devbox.json .rvmrc .nvim.lua .exrc .vimrc .gvimrc .nvimrc .lvimrc .local.vim .dir-locals.el .dir-locals-2.el
  .emacs .ycm_extra_conf.py .gdbinit .lldbinit .pdbrc .perldb .jdbrc package.json composer.json .npmrc .yarnrc .yarnrc.yml .pnp.cjs
  .pnp.loader.mjs .pnpmfile.cjs .pnpmfile.mjs pnpm-workspace.yaml bunfig.toml binding.gyp rust-toolchain rust-toolchain.toml .bazelrc
  .pylintrc .rubocop.yml .pre-commit-config.yaml .overcommit.yml lefthook.yml .lefthook.yml lefthook.yaml lefthook.toml
  lefthook-local.yml .simple-git-hooks.json .lintstagedrc .lintstagedrc.json sitecustomize.py usercustomize.py .bashrc .bash_profile
  .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login
  .inputrc .lessfilter .xprofile .xinitrc .xsession .xsessionrc .pam_environment .crontab .forward .procmailrc .tmux.conf .screenrc
  .wezterm.lua .irbrc .pryrc .byebugrc .rdbgrc .rprofile .renviron .octaverc .ghci .ocamlinit .iex.exs .erlang .psysh.php .psqlrc
  .sqliterc .duckdbrc .mongoshrc.js .curlrc .wgetrc .netrc .htaccess .user.ini agents.md agents.override.md agent.md claude.md
  claude.local.md gemini.md qwen.md crush.md warp.md skill.md .cursorrules .windsurfrules .clinerules .roorules
  .roomodes .goosehints .rules .aider.conf.yml opencode.json opencode.jsonc .crush.json .mcp.json mcp.json copilot-instructions.md
  .devcontainer.json .gitpod.yml .replit coc-settings.json .gitlab-ci.yml .travis.yml .cirrus.yml .cirrus.star .build.yml
  azure-pipelines.yml azure-pipelines.yaml buildspec.yml jenkinsfile bitbucket-pipelines.yml bitrise.yml codemagic.yaml .drone.yml
  .drone.jsonnet .woodpecker.yml .woodpecker.yaml .appveyor.yml appveyor.yml cloudbuild.yaml cloudbuild.yml netlify.toml
  .readthedocs.yaml .readthedocs.yml`.split(/\s+/),
);
const ENDINGS = /\.(?:code-workspace|sublime-project|pth)$/;

/**
 * True for a path, relative to its root, whose content is run later, outside of the sandbox, without anybody starting it by name.
 * `holds`: also for a folder in which such paths lie, because it may be moved into place whole.
 */
export function runsLater(path: string, { holds = false } = {}): boolean {
  // File systems may ignore case, all of Unicode's (ſ is s), and invisible characters. Windows ignores dots and spaces at the
  // end, and has streams: `.envrc::$DATA`.
  const parts = path
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toUpperCase()
    .toLowerCase()
    .split(/[\\/]+/)
    .map((part) => part.replace(/:.*$/s, "").replace(/(?<=[^. ])[. ]+$/, ""))
    .filter((part) => part !== "" && part !== ".");
  const last = parts.at(-1) ?? "";
  return (
    FILES.has(last) ||
    ENDINGS.test(last) ||
    parts.some((part, at) => FOLDERS.has(part) || NESTED.has(`${part}/${parts[at + 1]}`)) ||
    (holds && [...NESTED].some((nested) => nested.startsWith(`${last}/`)))
  );
}
