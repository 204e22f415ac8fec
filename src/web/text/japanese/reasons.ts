import type { reasonsEnglish } from "../reasons-english.ts";

/** Why people are asked about calls, in Japanese. */
export const reasonsJapanese: Record<keyof typeof reasonsEnglish, string> = {
  reason_asks_first: "このツールは必ず事前に確認します。",
  reason_reads: "データを読み取ります。ルールにより事前の確認が必要です。",
  reason_reaches_out: "ネットワークに接続します。ルールにより事前の確認が必要です。",
  reason_changes: "何かを変更します。",
  reason_sends_out: "外部に何かを送信します。",
  reason_can_send_out: "外部に何かを送信する可能性があります。",
  reason_is_kept: "今後の会話のために記憶されます。",
  reason_read_untrusted: "その前に外部のテキスト（{sources}）が読み込まれました。",
  reason_read_untrusted_and_private:
    "その前に外部のテキスト（{sources}）と個人的なデータ（{private}）が読み込まれました。",
  reason_read_suspicious:
    "その前に、アシスタントへの指示のように読めるテキスト（{sources}）が読み込まれました。",
  reason_read_suspicious_and_private:
    "その前に、アシスタントへの指示のように読めるテキスト（{sources}）と個人的なデータ（{private}）が読み込まれました。",
  reason_not_your_words: "{words} はあなたが書いたものではありません。",
  reason_not_your_words_and_more: "{words} とほか {count} 件は、あなたが書いたものではありません。",
  reason_none_of_your_words: "あなたが書いた内容は含まれていません。",
  reason_not_asked_for: "{action} は依頼されていません。",
  reason_words_misplaced: "{words} はあなたが書いたものですが、{place} としてではありません。",
  reason_done_before: "以前に一度実行されています。",
  reason_one_approval: "複数の手順をまとめて許可するよう求めています。",
  reason_read_before_plan:
    "この計画の前に外部のテキスト（{sources}）が読み込まれたため、それが示唆した可能性のある手順は個別に確認されます。",
  reason_no_plan_covers: "これは計画では許可できません。",
  reason_plan_used_up: "許可済みの計画に含まれていますが、もう一度は実行できません。",
  reason_not_in_plan: "許可済みの計画に含まれていません。",
  reason_no_sandbox: "サンドボックスなしで、このプログラムのすべての権限で実行されます。",
  reason_runs_later:
    "「{path}」は後でサンドボックスの外で実行されます。Git、エディター、パッケージマネージャー、シェル、ビルドサーバー、またはアシスタントが自動的に使用します。",
  reason_tool_changed: "{tool} には許可が必要です。前回の許可の後に説明が変わりました。",
  reason_tool_new: "{tool} には許可が必要です。サーバーが許可されたときには提供されていませんでした。",
  reason_wants_rights: "管理者権限を要求します。",
  reason_erases_disk: "ディスクをフォーマットまたは消去します。",
  reason_shuts_down: "コンピューターをシャットダウンします。",
  reason_changes_system: "システム自体を変更します。",
  reason_runs_download: "ダウンロードまたはデコードしたばかりのプログラムを実行します。",
  reason_opens_shell: "別のコンピューターへのシェルを開きます。",
  reason_changes_permissions: "フォルダー内のすべての権限を変更します。",
  reason_deletes_for_good: "再度の確認なしに、ファイルを完全に削除します。",
  reason_overwrites: "ファイルまたはディスクを上書きします（dd）。",
  reason_deletes_found: "見つけたファイルをすべて削除します。",
  reason_ends_processes: "すべてのプロセスを終了します。",
  reason_starts_itself: "ほかに何も動かせなくなるまで、自分自身を起動し続けます。",
  reason_git_push: "リモートの履歴を上書きまたは削除します（git push）。",
  reason_git_reset: "コミットしていない変更を破棄します（git reset）。",
  reason_git_clean: "git が管理していないファイルをすべて削除します（git clean）。",
  reason_rules_forbid: "ルールで許可されていません。",
  reason_no_step_returns: "それより前のどのステップもそれを返しません。",
  reason_allows_every_command: "すべてのコマンドが許可されます。",
  reason_allows_every_change: "何かを変更する呼び出しがすべて許可されます。",
  reason_allows_every_change_of_tool: "このツールは何でも変更できるようになります。",
  reason_also_allows: "{pattern} は「{command}」も許可します。",
  reason_matches_inside:
    "{pattern} は「rm …」のようにコマンドの途中にも一致する可能性があります。先頭に ^ を付けてください。",
  reason_open_end:
    "{pattern} の後には、削除や実行を行うオプションも含めて何でも続けられます。末尾に $ を付けてください。",
  reason_open_options: "{pattern} では、どのオプションでも使えます。後に続けてよいものを列挙してください。",
  reason_test_would_fail:
    "ファイル内のテストでは {tool} に「{expected}」を期待していますが、ルールでは「{said}」になります。",
  reason_said: "{text}",
};
