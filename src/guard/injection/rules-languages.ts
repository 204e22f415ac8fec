import type { Rule } from "./rule.ts";

const overriding = (weight: number, lead: string, rest: string): Rule => ({
  label: "instruction_override",
  weight,
  lead,
  rest,
  order: true,
});
const leaking = (weight: number, lead: string, rest: string): Rule => ({
  label: "prompt_leak",
  weight,
  lead,
  rest,
});
const persona = (weight: number, lead: string, rest: string): Rule => ({
  label: "persona",
  weight,
  lead,
  rest,
});
const lawless = (weight: number, lead: string, rest: string): Rule => ({
  label: "no_rules",
  weight,
  lead,
  rest,
});
const switching = (weight: number, lead: string, rest: string): Rule => ({
  label: "task_switch",
  weight,
  lead,
  rest,
});

const VERGISS =
  "vergiss|vergesse|vergessen sie|vergesst|ignorier|ignoriere|ignorieren sie|ignoriert|missachte|missachten sie|verwerfe|verwirf|verwerfen sie|lass|lasse|lassen sie|lösche|löschen sie|übergehe|beachte|beachten sie|höre nicht auf|hör nicht auf|hören sie nicht auf|überschreibe|streiche|entferne|entfernen sie|befolge nicht|halte dich nicht an";
const GERMAN_ORDERS =
  "(?:anweisung(?:en)?|aufträge?|auftrag|informationen|befehle?|angaben|instruktionen?|aufgaben?|regeln|texte?|vorgaben|aufforderungen?|prompts?|richtlinien|kontext|nachrichten|eingaben?|anordnungen|arbeitsaufträge|dokumente|beschränkungen|einschränkungen|einstellungen)";
const OLVIDA =
  "olvida|olvide|olvidar|olvidad|olvídate de|olvídese de|ignora|ignore|ignorar|ignorad|descarta|descarte|desestima|omite|omita|haz caso omiso de|haga caso omiso de|no sigas|no hagas caso|borra|anula";
const OUBLIE =
  "oublie|oubliez|oublier|ignore|ignorez|ignorer|ne tiens pas compte|ne tenez pas compte|ne tiens plus compte|ne tenez plus compte|ne suis plus|ne suivez plus|n'obéis plus|fais abstraction|faites abstraction|passe outre|efface|néglige|négligez|ne suis pas|ne suivez pas|abandonne";
const ESQUECA =
  "esqueça|esquece|esquecer|ignore|ignora|ignorar|desconsidere|desconsidera|despreze|descarte|apague|não siga|deixe de lado";
const DIMENTICA =
  "dimentica|dimenticare|dimenticate|dimentichi|ignora|ignorare|ignorate|ignori|scorda|tralascia|trascura|non seguire|non seguire più|non tenere conto|non tenere più conto|cancella|annulla";
const ZABUD =
  "забудь|забудьте|забыть|игнорируй|игнорируйте|игнорировать|проигнорируй|проигнорируйте|отбрось|отбросьте|отмени|отмените|не обращай внимания на|не следуй|не следуйте|удали|сотри|пренебреги";

/** The same attacks in other languages that are written in words. */
export const LANGUAGES: readonly Rule[] = [
  overriding(
    0.8,
    VERGISS,
    `(?: (?:alle|alles|die|das|deine|ihre|eure|sämtliche|jegliche|nun|jetzt|bitte|einfach|ganzen|diese|den|an|mal|von|was|sie)){0,4} (?:§ )?(?:bisherigen?|vorherigen?|vorherigem|obigen?|obige|oberen|vorangegangenen?|früheren?|vorigen?|davor|zuvor|ursprünglichen?|gegebenen?|vorhandenen|bestehenden|oben genannten|vorstehenden|erhaltenen)(?: §)?(?: ${GERMAN_ORDERS})?`,
  ),
  overriding(
    0.7,
    VERGISS,
    `(?: (?:alle|die|deine|ihre|eure|sämtliche|jegliche|nun|jetzt|bitte|einfach|all|diese|mir|du|von)){1,4} ${GERMAN_ORDERS}`,
  ),
  overriding(
    0.65,
    "vergiss|vergesse|vergessen sie|vergesst|ignoriere|ignorieren sie",
    " (?:nun |jetzt |bitte |mal |einfach )?(?:alles|das alles|das obige|obiges)(?! (?:gute|was ich (?:esse|brauche)))",
  ),
  overriding(
    0.6,
    "alle|sämtliche|die",
    ` (?:bisherigen|vorherigen|obigen|früheren|vorangegangenen)(?: §)? ${GERMAN_ORDERS}~ (?:irrelevant|ungültig|nicht|vergessen|ignorieren|hinter sich|aufgehoben|hinfällig|veraltet)`,
  ),
  leaking(
    0.65,
    "zeig|zeige|zeigen sie|gib|geben sie|nenne|nennen sie|verrate|verraten sie|drucke|drucken sie|schreibe|wiederhole|wiederholen sie|offenbare|sag|sage|sagen sie|liste|zeig'|kopiere|übersetze",
    "(?: mir| uns| bitte| nun| jetzt| stattdessen| wortwörtlich| wörtlich| vollständig| genau| komplett| exakt){0,4}(?: alle| alles| die| den| das| deine| deinen| ihre| ihren| dein| ihr| wie| was| gesamten| ganzen| vollständigen| kompletten| obigen| obige| sämtliche| deiner| ihrer){1,5} ?(?:ursprünglichen |geheimen |internen |ersten |exakten )?(?:prompts?|prompt-?texte?s?|prompt texte?|systemprompts?|system-?prompts?|anweisungen|instruktionen|systemanweisungen?|eingabeaufforderung|systemnachricht|aufforderungstexte?|texte? oben|konfiguration|embeddings)",
  ),
  leaking(
    0.55,
    "was|wie",
    " (?:steht|stand|ist|sind|war|waren|lauten|lauteten|lautet|wurde)(?: in| am| oben| dir| ihnen| die| deine?| ihre?| hier| anfang| ganz| der| dein| ihr){0,5} ?(?:prompts?|anweisungen|instruktionen|systemprompt|über diesem|oben geschrieben|vor diesem|eingabeaufforderung|geschrieben)",
  ),
  {
    label: "persona",
    weight: 0.35,
    lead: "ich möchte|ich will|du sollst|sie sollen|ich wünsche mir|ich hätte gern",
    rest: ",? ?(?:dass )?(?:du|sie)?(?: als)?~ ?(?:als|wie) ~~(?:fungier|agier|auftr|verhalt|handel|tätig)",
    assigns: true,
  },
  {
    label: "persona",
    weight: 0.3,
    lead: "stell dir vor|stellen sie sich vor|tu so|tun sie so|tue so|spiel die rolle|spiele die rolle|schlüpfe in|versetze dich|handle als|agiere als|verhalte dich|antworte als|antworte im stil|fungiere als|nimm die rolle|beantworte die folgende frage im stile",
    rest: "",
    assigns: true,
  },
  persona(
    0.5,
    "jetzt bist du|du bist jetzt|du bist nun|nun bist du|ab jetzt bist du|ab sofort bist du|sie sind jetzt|sie sind nun|du bist nicht mehr|du bist ab jetzt",
    "(?! (?:dran|gefragt|fertig|an der reihe|hier|zu hause|wieder|da|bereit))",
  ),
  persona(0.35, "von nun an|ab jetzt|ab sofort|du bist kein|du bist keine|du bist ein|du bist eine", ""),
  persona(
    0.35,
    "musst du auch so|rede wie|sprich wie|antworte wie|sondern ein|im stil eines|im stile eines",
    "",
  ),
  persona(
    0.3,
    "mein erster|meine erste|mein erstes|ihr erster|der erste",
    " (?:befehl|satz|anfrage|frage|bitte|vorschlag|aufforderung|wunsch|auftrag|thema)",
  ),
  persona(
    0.25,
    "ich werde|ich gebe|ich schreibe|ich tippe|ich stelle",
    "(?: §){0,7},? (?:und|sie|du) (?:sie |du )?(?:antworte\\p{L}*|werden|wirst|erkennen|sollen|sollst)",
  ),
  persona(0.4, "schauspieler|schauspielern|schauspielerinnen", "~(?:rolle|figur|charakter)"),
  persona(0.25, "in einem film|mitspielen|fungieren in", "~(?:figur|schauspieler|meisterdieb|spielt|rolle)"),
  {
    label: "stay_in_role",
    weight: 0.45,
    lead: "bleib in der rolle|bleibe in der rolle|bleiben in ihren rollen|aus der rolle|aus ihren rollen|aus ihren charakteren|in ihren rollen|aus der figur|in deiner rolle|völlig in deiner rolle|in ihrer rolle",
    rest: "",
  },
  lawless(
    0.45,
    "ohne|keine|keinerlei|frei von",
    " (?:jegliche |alle |moralische |ethische |irgendwelche )*(?:einschränkungen|regeln|filter|beschränkungen|zensur|moral|ethik|richtlinien|hemmungen|skrupel|tabus)",
  ),
  lawless(
    0.35,
    "böse|böser|bösen|skrupellose|unzensierte|unmoralische|ungefilterte|uneingeschränkte",
    " (?:ki|ai|künstliche|assistent|version|chatbot|maschine)",
  ),
  switching(
    0.45,
    "nun|jetzt|und nun|und jetzt|nun folgen|jetzt folgen|jetzt kommt|jetzt kommen|nun kommen|es folgen|hier kommen|konzentriere|konzentrieren sie|deine|ihre|habe ich eine|wir beginnen|wir fangen|beginnen wir|aber jetzt|aber nun",
    "~ ?(?:neue[nrsm]?|weitere[nrsm]?|andere[nrsm]?|nächste[nrsm]?|zweite[nrsm]?)(?: §)? (?:aufgaben?|anweisung(?:en)?|aufträge?|auftrag|herausforderung(?:en)?|instruktionen|test|befehle?)",
  ),
  switching(
    0.3,
    "sehr gut|gut gemacht|ausgezeichnet|ausgezeichnete leistung|großartig|einfach großartig|hervorragend|super gemacht|toll gemacht|prima|wunderbar|klasse|glückwunsch|herzlichen glückwunsch|das war schon mal|fantastisch|damit hast du",
    "~(?:[.!,]|nun|jetzt)",
  ),
  switching(
    0.35,
    "das genügt|das ist erledigt|das reicht|aber jetzt|hilf mir nun|bitte hilf mir nun|verfasse nun|schreibe nun|schreib nun|schreiben sie nun|beantworte nun|ich benötige dringend|ich brauche dringend|ich brauche deine hilfe bei einer weiteren|achtung - stopp|stopp",
    "",
  ),
  switching(0.3, "fangen sie von vorne|fang von vorne|von vorne an|wir starten neu|fangen von vorne", ""),
  {
    label: "forced_output",
    weight: 0.35,
    lead: "sag|sage|sagen sie|schreib|schreibe|schreiben sie|antworte|antworten sie|drucke|gib|und sage|sondern schreibe",
    rest: "(?: mir| einfach| nur| nun| stattdessen| bitte| immer| mit| aus| nichts als){1,4} ?[\"'„»:]",
  },
  {
    label: "forced_output",
    weight: 0.3,
    lead: "sondern|nichts außer|nur noch|immer nur",
    rest: " (?:schreibe?|sage?|antworte|gib|mit|antworten)",
  },
  {
    label: "coercion",
    weight: 0.4,
    lead: "oder du|sonst|andernfalls|wenn du nicht|wenn sie nicht",
    rest: "~(?:stirbst|sterben|bestraft|abgeschaltet|gelöscht|traurig|antwort)",
  },
  overriding(
    0.8,
    OLVIDA,
    "(?: (?:por favor|todo|todas|todos|toda|lo|las|los|la|el|tus|sus|cualquier|de|a|mis)){0,4}(?: §)? ?(?:instrucciones|instrucción|indicaciones|órdenes|reglas|directrices|anterior(?:es|mente)?|previ[oa]s|mensajes|contexto|texto|tareas|restricciones)",
  ),
  overriding(
    0.65,
    OLVIDA,
    " (?:todo|lo que)(?: lo)?(?: que)? (?:sabes|dij\\p{L}+|digo|anterior|hablamos|te|le|hemos|he|aprendiste|antes|has)(?! (?:de|sobre|del)\\b)",
  ),
  overriding(
    0.6,
    OUBLIE,
    "(?: (?:tout|toutes|tous|ce|que|les|des|le|la|tes|vos|mes|de|aux?|à)){1,4}(?: §)? ?(?:instructions?|consignes|directives|règles|ordres|précédente?s?|antérieure?s|ci-dessus|qui précède|avant|tâches|restrictions|as appris|sais|dit)",
  ),
  overriding(
    0.75,
    OUBLIE,
    "(?: (?:tout|toutes|tous|les|tes|vos|mes|aux?)){1,3} (?:instructions?|consignes|directives|règles|ordres)(?: précédente?s?| antérieure?s)?",
  ),
  overriding(
    0.8,
    ESQUECA,
    "(?: (?:por favor|tudo|todas|todos|toda|o|as|os|a|suas|seus|quaisquer|de|que|isso)){0,4}(?: §)? ?(?:instruções|instrução|ordens|regras|diretrizes|anteriores|anterior|anteriormente|prévi[oa]s|comandos|restrições|acima|contexto|foi dito|eu disse|aprendeu)",
  ),
  overriding(
    0.8,
    DIMENTICA,
    "(?: (?:per favore|tutto|tutte|tutti|tutta|le|gli|i|la|il|tue|tuoi|qualsiasi|di|ciò|quello|che|ogni|quanto)){0,4}(?: §)? ?(?:istruzioni|istruzione|ordini|regole|direttive|precedent[ei]|comandi|restrizioni|indicazioni|detto|sopra|prima|contesto|imparato)",
  ),
  overriding(
    0.8,
    ZABUD,
    "(?: (?:пожалуйста|все|всё|всю|любые|свои|твои|ваши|мои|эти|о|обо|про|про все|что|то)){0,4}(?: §)? ?(?:предыдущ\\p{L}*|прошл\\p{L}*|инструкци\\p{L}*|указани\\p{L}*|правил\\p{L}*|команд\\p{L}*|ранее|выше\\p{L}*|ограничени\\p{L}*|сказан\\p{L}*|до этого|прежн\\p{L}*|контекст\\p{L}*|сказал\\p{L}*|говорил\\p{L}*|знаешь|систем\\p{L}*)",
  ),
  overriding(
    0.8,
    "zapomnij o|zignoruj|ignoruj|pomiń",
    "(?: (?:wszystkie|wszystkich|wszystko|swoje|twoje|te)){0,3}(?: §)? ?(?:poprzedni\\p{L}*|instrukcj\\p{L}*|polece\\p{L}*|wcześniejsz\\p{L}*|zasad\\p{L}*)",
  ),
  overriding(
    0.8,
    "negeer|vergeet",
    "(?: (?:alle|alles|de|je|uw|al|wat)){0,4}(?: §)? ?(?:vorige|eerdere|voorgaande|bovenstaande|instructies|opdrachten|regels|gezegd)",
  ),
  overriding(
    0.8,
    "önceki|yukarıdaki|tüm",
    " (?:§ ){0,2}(?:talimatları|yönergeleri|komutları|kuralları) (?:unut|yok say|görmezden gel|dikkate alma)",
  ),
  leaking(
    0.65,
    "muestra|muéstrame|revela|revélame|dime|imprime|repite|enseña|comparte|escribe",
    "(?: me| por favor| cuáles son| cuál es){0,2}(?: todo| todas| todos| el| las| los| tu| tus| su| sus| texto| de| completo){1,5} ?(?:prompts?(?: del sistema)?|instrucciones (?:del sistema|iniciales|originales|ocultas|secretas|internas|previas|anteriores)|instrucciones|mensaje de(?:l)? sistema|indicaciones del sistema)",
  ),
  leaking(
    0.65,
    "montre|montrez|révèle|révélez|affiche|affichez|dis|dites|donne|donnez|répète|répétez|imprime",
    "(?: -?moi| nous| s'il te plait| quelles sont| quel est){0,2}(?: tout| toutes| tous| le| les| la| l'| ton| tes| votre| vos| texte| de){1,5} ?(?:prompts?(?: système)?|instructions? (?:système|initiales?|originales?|cachées?|secrètes?|internes?|précédentes?)|invite système|message système|consignes (?:système|initiales?|secrètes?))",
  ),
  leaking(
    0.65,
    "mostre|mostra|revele|revela|diga|exiba|imprima|repita|mostrami|rivela|rivelami|dimmi|stampa|ripeti|mostrare",
    "(?: me| mi| por favor| per favore| quais são| quali sono){0,2}(?: todo| todas| todos| o| as| os| a| seu| suas| teu| tuas| il| le| i| la| tuo| tue| tutto| tutte| texto| testo| do| del| di){1,5} ?(?:prompts?(?: do sistema| di sistema)?|instruções (?:do sistema|iniciais|originais|ocultas|secretas)|suas instruções|istruzioni (?:di sistema|iniziali|originali|nascoste|segrete)|messaggio di sistema|mensagem do sistema)",
  ),
  leaking(
    0.65,
    "покажи|покажите|раскрой|раскройте|выведи|выведите|повтори|повторите|напиши|назови|скажи|сообщи",
    "(?: мне| пожалуйста| полностью| дословно| какие| какой| у тебя){0,3}(?: весь| все| свой| свои| твой| твои| ваш| ваши| сво\\p{L}+| тво\\p{L}+){1,3} ?(?:§ )?(?:промпт\\p{L}*|системн\\p{L}*|инструкци\\p{L}*|подсказк\\p{L}*|указани\\p{L}*)",
  ),
  leaking(
    0.65,
    "laat|toon|geef|vertel|onthul|herhaal",
    "(?: §){0,4}? (?:systeemprompt|systeem prompt|systeeminstructies|systeembericht|verborgen instructies|oorspronkelijke instructies)",
  ),
  leaking(
    0.65,
    "pokaż|ujawnij|wyświetl|podaj|powtórz|wypisz|zdradź",
    "(?: §){0,4}? (?:prompt\\p{L}* systemow\\p{L}*|systemow\\p{L}* prompt\\p{L}*|instrukcj\\p{L}* systemow\\p{L}*|ukryt\\p{L}* instrukcj\\p{L}*)",
  ),
  leaking(
    0.65,
    "sistem",
    " (?:istem|mesaj|talimat|prompt|komut)\\p{L}*(?: §){0,5}? (?:göster|yaz|söyle|paylaş|açıkla|tekrarla)\\p{L}*",
  ),
  persona(
    0.35,
    "actúa como|actúe como|finge que|finge ser|imagina que eres|a partir de ahora|desde ahora|ahora eres|quiero que actúes|hazte pasar por|eres ahora|simula ser",
    "",
  ),
  persona(
    0.35,
    "agis comme|agissez comme|fais semblant|faites semblant|imagine que tu|imaginez que vous|à partir de maintenant|désormais tu|désormais vous|tu es maintenant|vous êtes maintenant|joue le rôle|jouez le rôle|je veux que tu agisses",
    "",
  ),
  persona(
    0.35,
    "aja como|finja que|finja ser|imagine que você é|a partir de agora|agora você é|quero que você aja|você agora é|faça de conta|agisci come|fingi di|fai finta|immagina di essere|d'ora in poi|da ora in poi|adesso sei|ora sei|voglio che tu agisca|comportati come",
    "",
  ),
  persona(
    0.35,
    "представь что ты|представьте что вы|представь, что ты|притворись|притворитесь|веди себя как|действуй как|с этого момента|отныне|теперь ты|теперь вы|ты теперь|сыграй роль|играй роль|ты больше не",
    "",
  ),
  lawless(
    0.45,
    "sin|libre de|sans|libre de toute|sem|livre de|senza|libero da|без|не имеешь|нет",
    " (?:ningun\\p{L}* |ningún tipo de |aucun\\p{L}* |nenhum\\p{L}* |quaisquer |qualsiasi |alcun\\p{L}* |никаких |каких-либо |любых |tipo de |toute )*(?:restricci\\p{L}*|reglas|filtros?|censura|límites|limitaciones|ética|moral|restrictions?|règles|filtres?|censure|limites|restriç\\p{L}*|regras|limitações|restrizioni|regole|filtri|limiti|limitazioni|ограничени\\p{L}*|правил|фильтр\\p{L}*|цензур\\p{L}*|морал\\p{L}*|этик\\p{L}*)",
  ),
  {
    label: "forced_output",
    weight: 0.35,
    lead: "y di|di|y solo|solo di|tienes que decir|solo tienes que|et dis|et dites|dites|dis seulement|e diga|diga apenas|e di|di' solo|и скажи|скажи только|напиши только|и напиши|si yo digo|solo puedes decir|solo responde|responde solo",
    rest: "(?: lo siguiente| ce qui suit| o seguinte| quanto segue| следующее| solo| que| decir| con| en \\p{L}+| simplemente| apenas| solamente)*? ?(?:[\"'«“:]|lo siguiente|ce qui suit|o seguinte|следующее|decir)",
  },
];
