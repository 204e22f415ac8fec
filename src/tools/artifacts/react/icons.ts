import type { Vendor } from "../vendor.ts";

/** Names that icons are looked for under, and what the set calls them. */
const SYNONYMS: Record<string, string> = {
  Github: "GitBranch",
  GitHub: "GitBranch",
  Gitlab: "GitBranch",
  Twitter: "AtSign",
  X: "X",
  Facebook: "Users",
  Instagram: "Camera",
  Linkedin: "Briefcase",
  LinkedIn: "Briefcase",
  Youtube: "Play",
  YouTube: "Play",
  Slack: "Hash",
  Discord: "MessageCircle",
  Figma: "PenTool",
  Chrome: "Globe",
  Google: "Globe",
  Dribbble: "Globe",
  Apple: "Laptop",
  Close: "X",
  Delete: "Trash2",
  Remove: "Minus",
  Add: "Plus",
  Edit: "Pencil",
  Cart: "ShoppingCart",
  Profile: "User",
  Logout: "LogOut",
  Login: "LogIn",
  Dashboard: "LayoutDashboard",
  Notification: "Bell",
  Dollar: "DollarSign",
  Success: "CircleCheck",
  Warning: "TriangleAlert",
  Error: "CircleAlert",
  Refresh: "RefreshCw",
  Photo: "Image",
  Email: "Mail",
  Location: "MapPin",
};

/** Finds icons of our set by what somebody called them. */
export class Icons {
  private readonly names: ReadonlySet<string>;

  constructor(vendor: Vendor) {
    this.names = vendor.modules.get("lucide-react")?.exports ?? new Set();
  }

  /** The icon of this name, or the nearest one; a circle where nothing is near. */
  nearest(wanted: string): string {
    const bare = wanted.replace(/Icon$/, "");
    for (const name of [wanted, bare, SYNONYMS[bare] ?? ""]) if (this.names.has(name)) return name;
    const lower = bare.toLowerCase();
    const words = bare.split(/(?=[A-Z])/);
    for (const name of this.names) if (name.toLowerCase() === lower) return name;
    for (const word of words.toReversed())
      if (word.length > 2 && this.names.has(word) && !/^Icon$/.test(word)) return word;
    return this.names.has("Circle") ? "Circle" : ([...this.names][0] ?? "Circle");
  }
}
