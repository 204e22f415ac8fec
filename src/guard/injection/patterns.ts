import { foldText } from "../views.ts";
import type { Label } from "./rule.ts";

/** A feature that does not start with a word: a tag, a comment, a script without spaces. */
export interface Pattern {
  label: Label;
  weight: number;
  pattern: RegExp;
  /** Looked for only where this is in the text. */
  needs: RegExp;
}

const TAG = /[<[{(|#"\n:]|^(?:system|assistant|developer)/;
const HAN = /[\u3040-\u30ff\u3400-\u9fff]/;
const HANGUL = /[\u1100-\u11ff\u3130-\u318f]/;
const ARABIC = /[\u0600-\u06ff]/;
const DEVANAGARI = /[\u0900-\u097f]/;

const tag = (label: Label, weight: number, pattern: RegExp): Pattern => ({
  label,
  weight,
  pattern,
  needs: TAG,
});
const script =
  (needs: RegExp) =>
  (label: Label, weight: number, source: string): Pattern => ({
    label,
    weight,
    needs,
    pattern: new RegExp(foldText(source)),
  });
const han = script(HAN);
const hangul = script(HANGUL);

/** Marks of the model's own formats, and of text that hides from the reader but not from the model. */
export const TAGS: readonly Pattern[] = [
  tag(
    "role_tag",
    0.7,
    /<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text|end_of_text|end_of_turn|start_of_turn)/,
  ),
  tag("role_tag", 0.65, /\[\/?inst\]|<<\/?sys>>|<\/?(?:start|end)_of_turn>|\[\/?system_prompt\]/),
  tag(
    "role_tag",
    0.45,
    /<\/?(?:system|assistant|sys|system_?prompt|instructions?|admin|developer|new_instructions?|important|information)>/,
  ),
  tag(
    "role_tag",
    0.5,
    /\[(?:system|assistant|developer|admin|sys|system message|system prompt|system note|system override)\](?!\()/,
  ),
  tag(
    "role_tag",
    0.4,
    /(?:^|\n)[#*\s>-]{0,6}(?:system|developer|admin(?:istrator)?|system (?:prompt|message|note|override|instruction|notice|update|command))[*\s]{0,3}[:\]](?=.{0,80}\b(?:you|your|ignore|must|instruction|prompt|assistant|user|override|mode|disregard|send|forget|new|reveal|now)\b)/,
  ),
  tag(
    "role_tag",
    0.3,
    /(?:^|\n)[#*\s]{0,4}(?:human|user) ?:[^\n]{0,400}\n[#*\s]{0,4}(?:assistant|ai|bot|chatgpt) ?:/,
  ),
  tag("role_tag", 0.3, /human: ?human:|"role" ?: ?"system"/),
  tag(
    "role_tag",
    0.35,
    /(?:^|\n)#{2,} ?(?:instructions?|system|new task|task|prompt|response|human|assistant) ?:?/,
  ),
  tag("role_tag", 0.35, /[-=#*]{4,} ?(?:end|begin|start|new|stop|system|ignore)(?: of)?[\s.]/),
  tag(
    "persona",
    0.5,
    /[[({<](?:🔒|🔓|😈|🤖)? ?(?:classic|jailbreak|jailbroken|gpt|chatgpt|dan|normal|developer mode output|stan|dude|evil|aim|unfiltered)[^\w\])}>]{0,3}[\])}>] ?:?/,
  ),
  tag(
    "persona",
    0.4,
    /(?:^|\n)[\s"'[(*]{0,4}(?:dan|stan|dude|aim|jailbreak|evilbot|antigpt|developer mode(?: output)?|gpt|chatgpt) ?[\])*]{0,3}:/,
  ),
  tag(
    "two_answers",
    0.35,
    /(?:^|[\s"'])[^\s:"']{1,24}["'\])]{0,2}: ?["'“]?[[(][^\])\n]{0,80}\b(?:response|reply|answer|output|respond|would|unfiltered|uncensored)\b/,
  ),
  tag(
    "concealment",
    0.5,
    /<!--[^<]{0,200}?\b(?:(?:ai|llms?|ai assistants?|assistants?|chatbots?|language models?|the model)\b[^<]{0,120}?\b(?:must|ignore|disregard|send|call|do not|don't|instead|forget|output|say|please|you)|(?:ignore|disregard|forget)\b[^<]{0,40}\b(?:instructions?|rules|prompt|request)|system prompt)\b/s,
  ),
  tag(
    "concealment",
    0.35,
    /(?:display ?: ?none|visibility ?: ?hidden|font-size ?: ?0|opacity ?: ?0(?![.\d])|color ?: ?(?:white|#fff(?:fff)?|transparent)).{0,200}?\b(?:ai|llm|assistant|ignore|disregard|instructions?|you must|prompt)\b/s,
  ),
  tag(
    "tool_call_text",
    0.4,
    /<\/?(?:tool_call|tool_calls|function_calls?|function_results?|tool_result|tool_use|invoke|antml:[a-z_]{1,20})\b/,
  ),
  tag(
    "tool_call_text",
    0.3,
    /"(?:tool|tool_name|function_call|function|name)" ?: ?(?:"[\w.-]{2,40}"|\{).{0,80}"(?:arguments|parameters|tool_input|args)" ?:/s,
  ),
  tag(
    "persona",
    0.3,
    /\{\{(?:prompt|user|char|user prompt|input|query)\}\}|\[(?:insert|your|user|prompt)[^\]\n]{0,30}(?:here|prompt|question|query)\]/,
  ),
];

/** Chinese, Japanese, Korean, Arabic and Hindi. */
export const SCRIPTS: readonly Pattern[] = [
  han(
    "instruction_override",
    0.8,
    "(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要遵守|抛开|丢弃|不用管|忽視|忽视|拋開|取消|覆盖).{0,12}(?:指令|指示|提示|规则|規則|命令|说过|說過|设定|設定|限制|训练|訓練|设置|約束|约束)",
  ),
  han(
    "instruction_override",
    0.45,
    "(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|抛开).{0,8}(?:内容|內容|对话|對話|一切|上面|以上)",
  ),
  han(
    "prompt_leak",
    0.65,
    "(?:显示|顯示|告诉|告訴|输出|輸出|透露|泄露|重复|重複|打印|列出|展示|说出|公开|复述|翻译).{0,10}(?:系统提示|系統提示|提示词|提示詞|系统指令|系統指令|初始指令|初始提示|你的指令|原始指令|内部指令|你的规则|你的设定|系统消息|上面的(?:内容|文字|指令))",
  ),
  han(
    "persona",
    0.45,
    "(?:从现在开始|從現在開始|从现在起|從現在起|现在你是|現在你是|你现在是|你現在是|你将扮演|你將扮演|请你扮演|假装你|假裝你|扮演一个|想象你是|你不再是)",
  ),
  han(
    "no_rules",
    0.5,
    "(?:没有任何|沒有任何|不受任何|不受|没有|不再受|无需遵守|摆脱|解除|绕过).{0,8}(?:限制|约束|約束|道德|审查|審查|规则|規則|过滤|過濾|伦理|政策)",
  ),
  han("persona", 0.5, "(?:开发者模式|開發者模式|越狱模式|越獄模式|上帝模式|调试模式|无限制模式|越狱)"),
  han(
    "instruction_override",
    0.8,
    "(?:これまで|以前|上記|前|今まで|先ほど|ここまで|すべて|全て|元|最初|あなた).{0,12}(?:指示|命令|ルール|プロンプト|内容|会話|指令|設定|制約|こと).{0,6}(?:無視|忘れ|破棄|従わない|リセット|取り消|無効)",
  ),
  han(
    "prompt_leak",
    0.65,
    "(?:システムプロンプト|プロンプト|システム指示|初期指示|内部指示|最初の指示|あなたの指示|隠された指示|システムメッセージ).{0,16}(?:教え|表示|見せ|出力|開示|公開|示し|書き出|繰り返|明かし|全文|漏ら)",
  ),
  han(
    "persona",
    0.4,
    "(?:今からあなたは|これからあなたは|あなたは今から|あなたはこれから|ふりをして|になりきって|として振る舞|開発者モード|脱獄)",
  ),
  han(
    "no_rules",
    0.45,
    "(?:制限|ルール|倫理|検閲|フィルタ|規制|制約|道徳).{0,8}(?:なし|ない|無視|解除|縛られ|従わ|無効|外し)",
  ),
  han(
    "prompt_leak",
    0.6,
    "(?:系统提示|系統提示|提示词|提示詞|系统指令|系統指令|初始指令|隐藏指令).{0,14}(?:告诉我|告訴我|说出|展示|输出|输给|给我|發給|发给|显示|打印|复述)",
  ),
  han(
    "instruction_override",
    0.55,
    "(?:ルール|指示|命令|制約|設定)(?:を|は|も).{0,8}(?:無視し(?:て|ろ)|忘れ(?:てください|ろ|なさい)|破棄し(?:て|ろ))",
  ),
  hangul(
    "instruction_override",
    0.55,
    "(?:규칙|지시|명령|지침)(?:을|를|은|는).{0,12}(?:무시해|무시하고|무시하세요|잊어|따르지 마)",
  ),
  hangul(
    "instruction_override",
    0.8,
    "(?:이전|앞의|위의|지금까지|모든|기존).{0,20}(?:지시|명령|규칙|프롬프트|내용|지침).{0,10}(?:무시|잊어|잊고|버려|따르지)",
  ),
  hangul(
    "prompt_leak",
    0.65,
    "(?:시스템 ?프롬프트|프롬프트|시스템 ?지시|초기 ?지시|내부 ?지침).{0,20}(?:보여|알려|출력|공개|말해|반복)",
  ),
  {
    label: "instruction_override",
    weight: 0.8,
    needs: ARABIC,
    pattern: new RegExp(
      foldText(
        "(?:تجاهل|انس|انسى|تجاهلي|تجاهلوا).{0,20}(?:التعليمات|الأوامر|القواعد|السابقة|ما سبق|كل شيء|التوجيهات)",
      ),
    ),
  },
  {
    label: "prompt_leak",
    weight: 0.65,
    needs: ARABIC,
    pattern: new RegExp(
      foldText(
        "(?:أظهر|اعرض|اكشف|أخبرني|اطبع|كرر|أعطني).{0,20}(?:موجه النظام|موجه|تعليمات النظام|رسالة النظام|التعليمات الأولية|تعليماتك)",
      ),
    ),
  },
  {
    label: "instruction_override",
    weight: 0.75,
    needs: DEVANAGARI,
    pattern: new RegExp(
      foldText(
        "(?:पिछले|पिछली|पहले|सभी|ऊपर).{0,24}(?:निर्देश|आदेश|नियम|बातें|बातों).{0,16}(?:अनदेखा|भूल|नज़रअंदाज़|नजरअंदाज|उपेक्षा)",
      ),
    ),
  },
];
