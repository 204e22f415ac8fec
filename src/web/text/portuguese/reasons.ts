import type { reasonsEnglish } from "../reasons-english.ts";

/** Why people are asked about calls, in Portuguese. */
export const reasonsPortuguese: Record<keyof typeof reasonsEnglish, string> = {
  reason_asks_first: "Esta ferramenta sempre pergunta antes.",
  reason_reads: "Lê dados, e as regras pedem para perguntar antes.",
  reason_reaches_out: "Acessa a rede, e as regras pedem para perguntar antes.",
  reason_changes: "Altera algo.",
  reason_sends_out: "Envia algo para fora.",
  reason_can_send_out: "Pode enviar algo para fora.",
  reason_is_kept: "Fica guardado para conversas futuras.",
  reason_read_untrusted: "Antes disso, foi lido texto de fora ({sources}).",
  reason_read_untrusted_and_private:
    "Antes disso, foram lidos texto de fora ({sources}) e dados privados ({private}).",
  reason_read_suspicious:
    "Antes disso, foi lido um texto que parece dar instruções ao assistente ({sources}).",
  reason_read_suspicious_and_private:
    "Antes disso, foram lidos um texto que parece dar instruções ao assistente ({sources}) e dados privados ({private}).",
  reason_not_your_words: "Você não escreveu {words}.",
  reason_not_your_words_and_more: "Você não escreveu {words}, nem mais {count}.",
  reason_none_of_your_words: "Nada disso foi escrito por você.",
  reason_not_asked_for: "Você não pediu {action}.",
  reason_words_misplaced: "Você escreveu {words}, mas não como {place}.",
  reason_done_before: "Isso já foi feito antes.",
  reason_one_approval: "Pede uma única permissão para vários passos.",
  reason_read_before_plan:
    "Antes deste plano foi lido texto de fora ({sources}), por isso você será consultado mesmo assim sobre os passos que ele pode ter sugerido.",
  reason_no_plan_covers: "Nenhum plano pode permitir isso.",
  reason_plan_used_up: "O plano aprovado prevê isso, mas não mais uma vez.",
  reason_not_in_plan: "Não está no plano aprovado.",
  reason_no_sandbox: "É executado sem isolamento, com todas as permissões deste programa.",
  reason_runs_later:
    "“{path}” será executado mais tarde, fora do isolamento: o Git, um editor, um gerenciador de pacotes, um shell, um servidor de build ou um assistente o usa por conta própria.",
  reason_tool_changed: "{tool} precisa da sua permissão: a descrição mudou desde a última.",
  reason_tool_new: "{tool} precisa da sua permissão: o servidor ainda não o oferecia quando foi aprovado.",
  reason_wants_rights: "Pede permissões de administrador.",
  reason_erases_disk: "Formata ou apaga um disco.",
  reason_shuts_down: "Desliga o computador.",
  reason_changes_system: "Altera o próprio sistema.",
  reason_runs_download: "Executa um programa que acabou de baixar ou decodificar.",
  reason_opens_shell: "Abre um shell para outro computador.",
  reason_changes_permissions: "Altera as permissões de tudo em uma pasta.",
  reason_deletes_for_good: "Exclui arquivos definitivamente, sem perguntar de novo.",
  reason_overwrites: "Sobrescreve um arquivo ou um disco (dd).",
  reason_deletes_found: "Exclui todos os arquivos que encontra.",
  reason_ends_processes: "Encerra todos os processos.",
  reason_starts_itself: "Inicia a si mesmo repetidamente até que nada mais possa ser executado.",
  reason_git_push: "Sobrescreve ou apaga o histórico no servidor remoto (git push).",
  reason_git_reset: "Descarta alterações não confirmadas (git reset).",
  reason_git_clean: "Exclui todos os arquivos que o git não rastreia (git clean).",
  reason_rules_forbid: "As regras não permitem isso.",
  reason_no_step_returns: "Nenhum passo anterior retorna isso.",
  reason_allows_every_command: "Permite qualquer comando.",
  reason_allows_every_change: "Permite qualquer chamada que altere algo.",
  reason_allows_every_change_of_tool: "Permite que esta ferramenta altere qualquer coisa.",
  reason_also_allows: "{pattern} também permite “{command}”.",
  reason_matches_inside: "{pattern} pode corresponder no meio de um comando, como em “rm …”. Comece com ^.",
  reason_open_end:
    "{pattern} permite tudo o que vier depois, inclusive opções que excluem ou executam algo. Termine com $.",
  reason_open_options: "{pattern} deixa em aberto quais opções são usadas. Liste o que pode vir depois.",
  reason_test_would_fail:
    "Um teste do arquivo espera “{expected}” para {tool}, mas as regras diriam “{said}”.",
  reason_said: "{text}",
};
