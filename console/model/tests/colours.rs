//! The colours of `style/tokens.css` keep the contrast of WCAG 2.2: 4.5 for text (1.4.3), 3 for
//! edges (1.4.11).

use std::collections::BTreeMap;

/// A colour in both themes, light first.
type Pair = [[f64; 3]; 2];

fn tokens() -> BTreeMap<String, Pair> {
    let css = include_str!("../../style/tokens.css");
    let mut tokens = BTreeMap::new();
    for line in css.lines() {
        let Some((name, value)) = line
            .trim()
            .strip_prefix("--")
            .and_then(|line| line.split_once(':'))
        else {
            continue;
        };
        let Some(colours) = value.trim().strip_prefix("light-dark(#") else {
            continue;
        };
        let (light, dark) = colours.split_once(", #").unwrap();
        let dark = dark.split(')').next().unwrap();
        tokens.insert(name.to_owned(), [colour(light), colour(dark)]);
    }
    tokens
}

fn colour(hex: &str) -> [f64; 3] {
    assert_eq!(hex.len(), 6, "`{hex}`");
    [0, 2, 4].map(|at| f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()))
}

/// Relative luminance as WCAG 2.2 defines it.
fn luminance(colour: [f64; 3]) -> f64 {
    let [r, g, b] = colour.map(|part| {
        let part = part / 255.0;
        if part <= 0.04045 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Every pair that is under `least`, as a readable line.
fn weak(fronts: &[&str], grounds: &[&str], least: f64) -> Vec<String> {
    let tokens = tokens();
    let mut weak = Vec::new();
    for front in fronts {
        for ground in grounds {
            for (theme, name) in ["light", "dark"].iter().enumerate() {
                let found = contrast(tokens[*front][theme], tokens[*ground][theme]);
                if found < least {
                    weak.push(format!("{front} on {ground}, {name}: {found:.2}"));
                }
            }
        }
    }
    weak
}

const SURFACES: [&str; 5] = [
    "bg-canvas",
    "bg-surface",
    "bg-sunken",
    "bg-raised",
    "bg-hover",
];
const TINTS: [&str; 4] = ["blue-tint", "allow-tint", "deny-tint", "warn-tint"];
const TEXTS: [&str; 7] = [
    "text",
    "text-2",
    "text-3",
    "blue",
    "allow-text",
    "deny-text",
    "warn-text",
];

#[test]
fn text_can_be_read_on_every_ground() {
    assert_eq!(weak(&TEXTS, &SURFACES, 4.5), [""; 0]);
    assert_eq!(weak(&TEXTS, &TINTS, 4.5), [""; 0]);
    assert_eq!(weak(&["on-ink"], &["ink", "ink-hover"], 4.5), [""; 0]);
    assert_eq!(weak(&["on-danger"], &["danger"], 4.5), [""; 0]);
}

#[test]
fn edges_can_be_seen_on_every_ground() {
    let surfaces = &SURFACES[..4];
    let edges = [
        "edge",
        "blue-line",
        "allow-line",
        "deny-line",
        "warn-line",
        "focus",
    ];
    assert_eq!(weak(&edges, surfaces, 3.0), [""; 0]);
    for (edge, tint) in [
        ("blue-line", "blue-tint"),
        ("allow-line", "allow-tint"),
        ("deny-line", "deny-tint"),
        ("warn-line", "warn-tint"),
        ("focus", "blue-tint"),
    ] {
        assert_eq!(weak(&[edge], &[tint], 3.0), [""; 0]);
    }
}

#[test]
fn the_measure_is_right() {
    assert!((contrast([0.0; 3], [255.0; 3]) - 21.0).abs() < 1e-9);
    assert_eq!(
        tokens().len(),
        29,
        "a colour was added or taken away: check it above"
    );
}
