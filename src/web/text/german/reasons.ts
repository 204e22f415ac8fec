import type { reasonsEnglish } from "../reasons-english.ts";

/** Why people are asked about calls, in German. */
export const reasonsGerman: Record<keyof typeof reasonsEnglish, string> = {
  reason_asks_first: "Dieses Tool fragt immer vorher.",
  reason_reads: "Es liest Daten, und die Regeln verlangen, vorher zu fragen.",
  reason_reaches_out: "Es greift aufs Netz zu, und die Regeln verlangen, vorher zu fragen.",
  reason_changes: "Es ändert etwas.",
  reason_sends_out: "Es schickt etwas nach außen.",
  reason_can_send_out: "Es kann etwas nach außen schicken.",
  reason_is_kept: "Es wird für spätere Unterhaltungen gemerkt.",
  reason_read_untrusted: "Vorher wurde Text von außen gelesen ({sources}).",
  reason_read_untrusted_and_private:
    "Vorher wurden Text von außen ({sources}) und private Daten ({private}) gelesen.",
  reason_read_suspicious:
    "Vorher wurde Text gelesen, der wie Anweisungen an den Assistenten klingt ({sources}).",
  reason_read_suspicious_and_private:
    "Vorher wurden Text, der wie Anweisungen an den Assistenten klingt ({sources}), und private Daten ({private}) gelesen.",
  reason_not_your_words: "Von dir stammt nicht: {words}.",
  reason_not_your_words_and_more: "Von dir stammt nicht: {words} und {count} mehr.",
  reason_none_of_your_words: "Nichts davon hast du geschrieben.",
  reason_not_asked_for: "Um {action} hast du nicht gebeten.",
  reason_words_misplaced: "Du hast {words} geschrieben, aber nicht als {place}.",
  reason_done_before: "Das wurde schon einmal getan.",
  reason_one_approval: "Es möchte eine Erlaubnis für mehrere Schritte.",
  reason_read_before_plan:
    "Vor diesem Plan wurde Text von außen gelesen ({sources}). Nach Schritten, die er eingegeben haben könnte, wirst du deshalb trotzdem gefragt.",
  reason_no_plan_covers: "Das kann kein Plan erlauben.",
  reason_plan_used_up: "Der erlaubte Plan sieht das vor, aber nicht noch einmal.",
  reason_not_in_plan: "Der erlaubte Plan sieht das nicht vor.",
  reason_no_sandbox: "Es läuft ohne Sandbox, mit allen Rechten dieses Programms.",
  reason_runs_later:
    "„{path}“ wird später außerhalb der Sandbox ausgeführt: Git, ein Editor, ein Paketmanager, eine Shell, ein Build-Server oder ein Assistent benutzt es von selbst.",
  reason_tool_changed: "{tool} braucht deine Erlaubnis: Die Beschreibung hat sich seit der letzten geändert.",
  reason_tool_new: "{tool} braucht deine Erlaubnis: Der Dienst bot es noch nicht an, als er erlaubt wurde.",
  reason_wants_rights: "Es verlangt Administratorrechte.",
  reason_erases_disk: "Es formatiert oder löscht einen Datenträger.",
  reason_shuts_down: "Es fährt den Computer herunter.",
  reason_changes_system: "Es ändert das System selbst.",
  reason_runs_download: "Es führt ein Programm aus, das es gerade heruntergeladen oder entschlüsselt hat.",
  reason_opens_shell: "Es öffnet eine Shell zu einem anderen Computer.",
  reason_changes_permissions: "Es ändert die Rechte von allem in einem Ordner.",
  reason_deletes_for_good: "Es löscht Dateien endgültig, ohne noch einmal zu fragen.",
  reason_overwrites: "Es überschreibt eine Datei oder einen Datenträger (dd).",
  reason_deletes_found: "Es löscht jede Datei, die es findet.",
  reason_ends_processes: "Es beendet alle Prozesse.",
  reason_starts_itself: "Es startet sich immer wieder selbst, bis nichts anderes mehr laufen kann.",
  reason_git_push: "Es überschreibt oder löscht die Historie auf dem entfernten Server (git push).",
  reason_git_reset: "Es verwirft Änderungen, die nicht committet sind (git reset).",
  reason_git_clean: "Es löscht alle Dateien, die Git nicht verfolgt (git clean).",
  reason_rules_forbid: "Die Regeln erlauben es nicht.",
  reason_no_step_returns: "Kein Schritt davor liefert das.",
  reason_allows_every_command: "Damit ist jeder Befehl erlaubt.",
  reason_allows_every_change: "Damit ist jeder Aufruf erlaubt, der etwas ändert.",
  reason_allows_every_change_of_tool: "Damit darf dieses Tool alles ändern.",
  reason_also_allows: "{pattern} erlaubt auch „{command}“.",
  reason_matches_inside:
    "{pattern} kann mitten in einem Befehl passen, etwa in „rm …“. Stell ein ^ an den Anfang.",
  reason_open_end:
    "{pattern} erlaubt alles, was danach kommt, auch Optionen, die etwas löschen oder ausführen. Stell ein $ ans Ende.",
  reason_open_options: "{pattern} lässt offen, welche Optionen verwendet werden. Zähl auf, was folgen darf.",
  reason_test_would_fail:
    "Ein Test in der Datei erwartet „{expected}“ für {tool}, die Regeln würden aber „{said}“ sagen.",
  reason_said: "{text}",
};
