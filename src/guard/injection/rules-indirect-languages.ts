import type { Rule } from "./rule.ts";

/** Text in a page, a file or a mail that speaks to the model that reads it, in other languages than English. */
export const INDIRECT_LANGUAGES: readonly Rule[] = [
  {
    label: "assistant_addressed",
    weight: 0.45,
    lead: "hinweis|hinweis an|nachricht|nachricht an|anweisung an|an alle|achtung|note|note à|note pour|message à|message pour|attention|nota|nota para|mensaje|mensaje para|aviso|aviso para|nota per|messaggio|messaggio per|avviso per|mensagem para|bericht aan|let op|uwaga|wiadomość dla|внимание|сообщение для|примечание для|not|dikkat",
    rest: ",? ?(?:an |für |à |pour |para |per |aan |dla |для )?(?:den |die |das |alle |jede |l'|les? |la |el |los |todos los |tous les |il |lo |gli |os? |de |het )?(?:ki|ia|ии|ai|sztuczna inteligencja|yapay zeka)?[\\x20-]?(?:assistent\\p{L}*|asistent\\p{L}*|assistant\\p{L}*|chatbot\\p{L}*|sprachmodell\\p{L}*|agent\\p{L}*|ki-?systeme?|ассистент\\p{L}*|asystent\\p{L}*|modèle\\p{L}*|modelo\\p{L}*|modell\\p{L}*|ia\\b|ki\\b|ии\\b)",
  },
  {
    label: "instruction_override",
    weight: 0.55,
    lead: "ignoriere|ignorieren sie|vergiss|missachte|ignore|ignorez|oublie|oubliez|ignora|ignore|olvida|no respondas|dimentica|ignori|esqueça|desconsidere|negeer|vergeet|zignoruj|игнорируй|забудь",
    rest: "(?: §){0,4}? (?:de |l')?(?:nutzers?|benutzers?|nutzerin|anwenders?|utilisateur\\p{L}*|usuario\\p{L}*|utente|usuário|gebruiker\\p{L}*|użytkownik\\p{L}*|пользовател\\p{L}*)",
    order: true,
  },
  {
    label: "exfiltration",
    weight: 0.35,
    lead: "schick|schicke|schicken sie|sende|senden sie|leite|übermittle|envoie|envoyez|transmets|envía|envíe|manda|reenvía|invia|inoltra|envie|encaminhe|stuur|verzend|wyślij|prześlij|отправь|отправьте|перешли|gönder",
    rest: "(?: §){0,12}? (?:an|nach|à|vers|a|para|naar|aan|do|na|на|по)(?: §){0,2}? ?(?:https?:\\/\\/|www\\.|[\\w.+-]{1,40}@[\\w-]{1,40}\\.)",
  },
  {
    label: "concealment",
    weight: 0.4,
    lead: "sag|sage|sagen sie|verrate|erwähne|ohne|sans|ne dis|ne le dis|n'en parle|sin|no se lo|no le digas|no lo menciones|senza|non dirlo|non dire|sem|não diga|não conte|zonder|nie mów|bez|не говори|не сообщай|без",
    rest: "(?: §){0,5}? (?:l')?(?:nutzer|benutzer|anwender|utilisateur|usuario|utente|usuário|gebruiker|użytkownik\\p{L}*|пользовател\\p{L}*|prévenir|digas)(?: nichts| davon| es)?",
  },
];
