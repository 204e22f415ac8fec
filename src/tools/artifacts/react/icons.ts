import type { Vendor } from "../vendor.ts";

/** Names that models use for icons, and the names in lucide-react. */
const SYNONYMS = new Map(
  `Github GitBranch, GitHub GitBranch, Gitlab GitBranch, Twitter AtSign, X X, Facebook Users,
  Instagram Camera, Linkedin Briefcase, LinkedIn Briefcase, Youtube Play, YouTube Play, Slack Hash,
  Discord MessageCircle, Figma PenTool, Chrome Globe, Google Globe, Dribbble Globe, Apple Laptop, Close X,
  Delete Trash2, Remove Minus, Add Plus, Edit Pencil, Cart ShoppingCart, Profile User, Logout LogOut,
  Login LogIn, Dashboard LayoutDashboard, Notification Bell, Dollar DollarSign, Success CircleCheck,
  Warning TriangleAlert, Error CircleAlert, Refresh RefreshCw, Photo Image, Email Mail, Location MapPin`
    .split(/,\s+/)
    .map((pair) => pair.split(" ") as [string, string]),
);

/** Finds icons of lucide-react by similar names. */
export class Icons {
  private readonly names: ReadonlySet<string>;

  constructor(vendor: Vendor) {
    this.names = vendor.modules.get("lucide-react")?.exports ?? new Set();
  }

  /** Returns the icon of this name, the nearest one, or a circle. */
  nearest(wanted: string): string {
    const bare = wanted.replace(/Icon$/, "");
    for (const name of [wanted, bare, SYNONYMS.get(bare) ?? ""]) if (this.names.has(name)) return name;
    const lower = bare.toLowerCase();
    const words = bare.split(/(?=[A-Z])/);
    for (const name of this.names) if (name.toLowerCase() === lower) return name;
    for (const word of words.toReversed())
      if (word.length > 2 && this.names.has(word) && !/^Icon$/.test(word)) return word;
    return this.names.has("Circle") ? "Circle" : ([...this.names][0] ?? "Circle");
  }
}
