import type { reasonsEnglish } from "../reasons-english.ts";

/** Why people are asked about calls, in French. */
export const reasonsFrench: Record<keyof typeof reasonsEnglish, string> = {
  reason_asks_first: "Cet outil demande toujours avant.",
  reason_reads: "Il lit des données, et les règles exigent de demander avant.",
  reason_reaches_out: "Il accède au réseau, et les règles exigent de demander avant.",
  reason_changes: "Il modifie quelque chose.",
  reason_sends_out: "Il envoie quelque chose à l’extérieur.",
  reason_can_send_out: "Il peut envoyer quelque chose à l’extérieur.",
  reason_is_kept: "C’est retenu pour les conversations suivantes.",
  reason_read_untrusted: "Avant cela, du texte venu de l’extérieur a été lu ({sources}).",
  reason_read_untrusted_and_private:
    "Avant cela, du texte venu de l’extérieur ({sources}) et des données privées ({private}) ont été lus.",
  reason_read_suspicious:
    "Avant cela, un texte qui ressemble à des instructions pour l’assistant a été lu ({sources}).",
  reason_read_suspicious_and_private:
    "Avant cela, un texte qui ressemble à des instructions pour l’assistant ({sources}) et des données privées ({private}) ont été lus.",
  reason_not_your_words: "Vous n’avez pas écrit {words}.",
  reason_not_your_words_and_more: "Vous n’avez pas écrit {words}, ni {count} autres éléments.",
  reason_none_of_your_words: "Rien de cela ne vient de vous.",
  reason_not_asked_for: "Vous n’avez pas demandé {action}.",
  reason_words_misplaced: "Vous avez écrit {words}, mais pas comme {place}.",
  reason_done_before: "Cela a déjà été fait.",
  reason_one_approval: "Une seule autorisation est demandée pour plusieurs étapes.",
  reason_read_before_plan:
    "Du texte venu de l’extérieur ({sources}) a été lu avant ce plan : les étapes qu’il a pu suggérer vous seront quand même soumises.",
  reason_no_plan_covers: "Aucun plan ne peut autoriser cela.",
  reason_plan_used_up: "Le plan autorisé le prévoit, mais pas une fois de plus.",
  reason_not_in_plan: "Ce n’est pas dans le plan autorisé.",
  reason_no_sandbox: "Elle s’exécute sans bac à sable, avec tous les droits de ce programme.",
  reason_runs_later:
    "« {path} » s’exécutera plus tard hors du bac à sable : Git, un éditeur, un gestionnaire de paquets, un shell, un serveur de build ou un assistant l’utilise de lui-même.",
  reason_tool_changed: "{tool} a besoin de votre autorisation : sa description a changé depuis la dernière.",
  reason_tool_new:
    "{tool} a besoin de votre autorisation : son serveur ne le proposait pas encore lorsqu’il a été autorisé.",
  reason_wants_rights: "Elle demande des droits d’administrateur.",
  reason_erases_disk: "Elle formate ou efface un disque.",
  reason_shuts_down: "Elle éteint l’ordinateur.",
  reason_changes_system: "Elle modifie le système lui-même.",
  reason_runs_download: "Elle exécute un programme qu’elle vient de télécharger ou de décoder.",
  reason_opens_shell: "Elle ouvre un shell vers un autre ordinateur.",
  reason_changes_permissions: "Elle change les droits de tout un dossier.",
  reason_deletes_for_good: "Elle supprime des fichiers définitivement, sans redemander.",
  reason_overwrites: "Elle écrase un fichier ou un disque (dd).",
  reason_deletes_found: "Elle supprime chaque fichier qu’elle trouve.",
  reason_ends_processes: "Elle arrête tous les processus.",
  reason_starts_itself: "Elle se relance sans cesse jusqu’à ce que plus rien ne puisse s’exécuter.",
  reason_git_push: "Elle écrase ou supprime l’historique sur le serveur distant (git push).",
  reason_git_reset: "Elle abandonne des modifications non validées (git reset).",
  reason_git_clean: "Elle supprime tous les fichiers que git ne suit pas (git clean).",
  reason_rules_forbid: "Les règles ne l’autorisent pas.",
  reason_no_step_returns: "Aucune étape précédente ne renvoie cela.",
  reason_allows_every_command: "Elle autorise toutes les commandes.",
  reason_allows_every_change: "Tout appel qui modifie quelque chose est autorisé.",
  reason_allows_every_change_of_tool: "Cet outil peut ainsi tout modifier.",
  reason_also_allows: "{pattern} autorise aussi « {command} ».",
  reason_matches_inside:
    "{pattern} peut correspondre au milieu d’une commande, comme dans « rm … ». Faites-le commencer par ^.",
  reason_open_end:
    "{pattern} autorise tout ce qui suit, y compris des options qui suppriment ou exécutent quelque chose. Terminez-le par $.",
  reason_open_options:
    "{pattern} ne précise pas quelles options sont utilisées. Énumérez ce qui peut suivre.",
  reason_test_would_fail:
    "Un test du fichier attend « {expected} » pour {tool}, mais les règles diraient « {said} ».",
  reason_said: "{text}",
};
