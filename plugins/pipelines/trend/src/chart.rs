//! A trend as an SVG image.

use crate::details::Trend;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 240.0;
/// The room of the axes, and of the title.
const LEFT: f64 = 40.0;
const BELOW: f64 = 28.0;
const ABOVE: f64 = 28.0;
/// Labels of periods, at most.
const LABELS: usize = 8;
const STYLE: &str = "text{font:12px sans-serif;fill:#444}.bar{fill:#3b6ea5}\
.partial{fill:#a9bfd6}.change{stroke:#b3261e;stroke-width:1.5;stroke-dasharray:4 3}\
.axis{stroke:#888}";

/// The bars of the periods, lighter where a period is covered in part, and a
/// dashed line at each change point.
pub(crate) fn svg(trend: &Trend) -> String {
    let most = trend
        .rows
        .iter()
        .map(|row| row.count)
        .max()
        .unwrap_or(0)
        .max(1);
    let step = (WIDTH - LEFT) / trend.rows.len().max(1) as f64;
    let plot = HEIGHT - BELOW - ABOVE;
    let bottom = HEIGHT - BELOW;
    let mut parts = vec![format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\
         <title>Entries by {}</title><style>{STYLE}</style>\
         <line class=\"axis\" x1=\"{LEFT}\" y1=\"{bottom}\" x2=\"{WIDTH}\" y2=\"{bottom}\"/>\
         <text x=\"{x}\" y=\"{ABOVE}\" text-anchor=\"end\">{most}</text>\
         <text x=\"{x}\" y=\"{bottom}\" text-anchor=\"end\">0</text>",
        trend.unit.name(),
        x = LEFT - 4.0,
    )];
    let every = trend.rows.len().div_ceil(LABELS).max(1);
    for (at, row) in trend.rows.iter().enumerate() {
        let x = LEFT + at as f64 * step;
        let height = row.count as f64 / most as f64 * plot;
        let class = if row.is_partial { "partial" } else { "bar" };
        parts.push(format!(
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\">\
             <title>{}: {}</title></rect>",
            x + step * 0.1,
            bottom - height,
            step * 0.8,
            row.value,
            row.count
        ));
        if at % every == 0 {
            let y = bottom + 16.0;
            parts.push(format!("<text x=\"{x:.1}\" y=\"{y}\">{}</text>", row.value));
        }
        let change = trend
            .change_points
            .iter()
            .find(|change| change.at == row.value);
        if let Some(change) = change {
            let (top, label) = (ABOVE - 8.0, ABOVE - 12.0);
            parts.push(format!(
                "<line class=\"change\" x1=\"{x:.1}\" y1=\"{top}\" x2=\"{x:.1}\" y2=\"{bottom}\"/>\
                 <text x=\"{x:.1}\" y=\"{label}\">{}</text>",
                change.at
            ));
        }
    }
    parts.push("</svg>\n".to_owned());
    parts.concat()
}
