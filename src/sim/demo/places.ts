export interface Place {
  name: string;
  zone: string;
  index: number;
}

/** Countries, cities without a zone of their own, and other names of zones: one zone per line. */
const NAMES = `
UTC: utc, gmt, zulu
Africa/Accra: ghana
Africa/Addis_Ababa: ethiopia
Africa/Cairo: egypt, alexandria
Africa/Casablanca: morocco, marrakesh
Africa/Johannesburg: south africa, cape town, durban, pretoria
Africa/Lagos: nigeria, abuja
Africa/Nairobi: kenya
America/Anchorage: alaska
America/Argentina/Buenos_Aires: argentina
America/Bogota: colombia
America/Chicago: texas, houston, dallas, austin, new orleans, minneapolis, cst, central time
America/Denver: colorado, utah, salt lake city, mst, mountain time
America/Lima: peru
America/Los_Angeles: california, san francisco, seattle, san diego, las vegas, portland, silicon valley, pst, pdt, pacific time
America/Mexico_City: mexico
America/New_York: usa, united states, new york city, nyc, boston, washington, washington dc, miami, atlanta, philadelphia, est, edt, eastern time
America/Santiago: chile
America/Sao_Paulo: brazil, são paulo, rio de janeiro, rio, brasilia
America/Toronto: canada, ottawa, montreal, quebec
Asia/Bangkok: thailand, phuket
Asia/Dhaka: bangladesh
Asia/Dubai: uae, united arab emirates, abu dhabi
Asia/Ho_Chi_Minh: vietnam, hanoi, saigon
Asia/Jakarta: indonesia
Asia/Jerusalem: israel, tel aviv
Asia/Karachi: pakistan, lahore, islamabad
Asia/Kathmandu: nepal, kathmandu
Asia/Kolkata: india, mumbai, new delhi, delhi, bangalore, bengaluru, chennai, hyderabad, kolkata, pune
Asia/Colombo: sri lanka
Asia/Kuala_Lumpur: malaysia
Asia/Makassar: bali
Asia/Manila: philippines
Asia/Riyadh: saudi arabia
Asia/Seoul: korea, south korea, busan
Asia/Shanghai: china, beijing, shenzhen, guangzhou, chengdu
Asia/Taipei: taiwan
Asia/Tehran: iran
Asia/Tokyo: japan, osaka, kyoto, sapporo, jst
Atlantic/Reykjavik: iceland
Australia/Sydney: australia, canberra
Europe/Amsterdam: netherlands, holland, rotterdam, the hague
Europe/Athens: greece
Europe/Belgrade: serbia
Europe/Berlin: germany, munich, hamburg, cologne, frankfurt, stuttgart, leipzig, dresden, cet
Europe/Brussels: belgium, antwerp
Europe/Bucharest: romania
Europe/Budapest: hungary
Europe/Copenhagen: denmark
Europe/Dublin: ireland
Europe/Helsinki: finland
Europe/Istanbul: turkey, türkiye, ankara
Europe/Kyiv: ukraine, kiev, kyiv
Europe/Lisbon: portugal, porto
Europe/London: uk, united kingdom, britain, great britain, england, scotland, wales, manchester, edinburgh, glasgow, oxford, cambridge
Europe/Madrid: spain, barcelona, seville, valencia
Europe/Moscow: russia, saint petersburg, st petersburg
Europe/Oslo: norway, bergen
Europe/Paris: france, lyon, marseille, toulouse
Europe/Prague: czechia, czech republic
Europe/Rome: italy, milan, naples, venice, florence, turin
Europe/Sofia: bulgaria
Europe/Stockholm: sweden, gothenburg
Europe/Vienna: austria, salzburg, graz
Europe/Warsaw: poland, krakow, gdansk
Europe/Zagreb: croatia
Europe/Zurich: switzerland, zürich, geneva, basel, bern, lausanne
Pacific/Auckland: new zealand, wellington, christchurch
Pacific/Honolulu: hawaii
`;

/** Last parts of zone names that are everyday words. */
const NOT_PLACES = new Set("center wake easter troll reunion nome knox resolute davis".split(" "));

const zones = new Map<string, string>();
for (const zone of Intl.supportedValuesOf("timeZone")) {
  const city = (zone.split("/").at(-1) ?? "").replaceAll("_", " ").toLowerCase();
  if (zone.includes("/") && !NOT_PLACES.has(city)) zones.set(city, zone);
}
for (const line of NAMES.trim().split("\n")) {
  const [zone = "", names = ""] = line.split(": ");
  for (const name of names.split(", ")) zones.set(name, zone);
}

const ZONE_NAME =
  /\b(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific)\/[A-Za-z_/-]+/g;
const longestFirst = [...zones.keys()].sort((a, b) => b.length - a.length);
const PLACE_NAME = new RegExp(
  `(?<![\\p{L}\\d])(?:${longestFirst.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})(?![\\p{L}\\d])`,
  "giu",
);

/** Returns the places that a text names, in order, each zone once. */
export function placesIn(text: string): Place[] {
  const places: Place[] = [];
  for (const match of text.matchAll(ZONE_NAME)) {
    places.push({ name: match[0], zone: match[0], index: match.index });
  }
  const rest = text.replace(ZONE_NAME, (name) => " ".repeat(name.length));
  for (const match of rest.matchAll(PLACE_NAME)) {
    const zone = zones.get(match[0].toLowerCase());
    if (zone) places.push({ name: match[0], zone, index: match.index });
  }
  const seen = new Set<string>();
  return places.sort((a, b) => a.index - b.index).filter(({ zone }) => !seen.has(zone) && seen.add(zone));
}

/** Returns a zone's everyday name: New York for `America/New_York`. */
export function cityOf(zone: string): string {
  return (zone.split("/").at(-1) ?? zone).replaceAll("_", " ");
}
