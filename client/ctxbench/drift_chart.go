package main

import (
	"bytes"
	"fmt"
	"slices"
	svg "text/template"
)

// The chart has one panel for all spans and one for spans of one line. In each there is a row of bars
// for each repository, or shape: wrong regions per 1,000.
const (
	chartWidth  = 760
	chartLeft   = 150 // where bars begin
	chartRight  = 60  // room for figures
	chartBar    = 14
	chartGap    = 10
	chartHeader = 34
)

// chartWays are the ways to answer that are drawn, with their colours.
var chartWays = []struct{ How, Colour string }{
	{nearestCopy, "#c0392b"}, {mapAlone, "#7f8c8d"}, {historyAlone, "#2980b9"}, {withCaptures, "#27ae60"},
}

type chartPanel struct {
	Title  string
	Y      int
	Groups []chartGroup
}

type chartGroup struct {
	Name string
	Y    int
	Bars []chartBarAt
}

type chartBarAt struct {
	Colour, Text     string
	Y, Width, TextAt int
}

var chartTemplate = svg.Must(svg.New("chart").Parse(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {{.Width}} {{.Height}}" font-family="sans-serif" font-size="12">
<rect width="{{.Width}}" height="{{.Height}}" fill="white"/>
<text x="8" y="20" font-size="15">Wrong regions per 1,000 addresses</text>
{{range .Legend}}<rect x="{{.X}}" y="32" width="12" height="12" fill="{{.Colour}}"/><text x="{{.TextX}}" y="42">{{.How}}</text>
{{end}}{{range .Panels}}<text x="8" y="{{.Y}}" font-weight="bold">{{.Title}}</text>
{{range .Groups}}<text x="8" y="{{.Y}}">{{html .Name}}</text>
{{range .Bars}}<rect x="{{$.Left}}" y="{{.Y}}" width="{{.Width}}" height="12" fill="{{.Colour}}"/><text x="{{.TextAt}}" y="{{.Y}}" dy="10">{{.Text}}</text>
{{end}}{{end}}{{end}}</svg>
`))

// wrong is how many of 1,000 addresses of t got a wrong region from somebody who did not say that it is one of
// several. The nearest copy never says anything.
func (r *driftReport) wrong(t driftTally) float64 {
	if r.how == nearestCopy {
		return perThousand(t.identity, t.asked)
	}
	return perThousand(t.identity-t.doubted, t.asked)
}

// driftChart draws reports.
func driftChart(reports []*driftReport) ([]byte, error) {
	type legend struct {
		X, TextX    int
		How, Colour string
	}
	chart := struct {
		Width, Height, Left int
		Legend              []legend
		Panels              []chartPanel
	}{Width: chartWidth, Left: chartLeft}
	x := 8
	for _, w := range chartWays {
		if slices.ContainsFunc(reports, func(r *driftReport) bool { return r.how == w.How }) {
			chart.Legend = append(chart.Legend, legend{x, x + 18, w.How, w.Colour})
			x += 30 + 7*len(w.How)
		}
	}
	y := 56
	for _, p := range []struct {
		title string
		rate  func(*driftReport) float64
	}{
		{"all spans", func(r *driftReport) float64 { return r.wrong(r.all()) }},
		{"spans of one line", func(r *driftReport) float64 { return r.wrong(r.rows[0]) }},
	} {
		most := 1.0
		for _, r := range reports {
			most = max(most, p.rate(r))
		}
		panel := chartPanel{Title: p.title, Y: y + chartBar}
		y += chartHeader
		for first := 0; first < len(reports); {
			end := first + 1
			for end < len(reports) && reports[end].of == reports[first].of {
				end++
			}
			g := chartGroup{Name: reports[first].of, Y: y + chartBar - 3}
			for _, w := range chartWays {
				for _, r := range reports[first:end] {
					if r.how != w.How {
						continue
					}
					width := int(p.rate(r) / most * (chartWidth - chartLeft - chartRight))
					g.Bars = append(g.Bars, chartBarAt{w.Colour, fmt.Sprintf("%.2f", p.rate(r)), y, max(width, 1), chartLeft + width + 6})
					y += chartBar
				}
			}
			y += chartGap
			panel.Groups, first = append(panel.Groups, g), end
		}
		chart.Panels = append(chart.Panels, panel)
	}
	chart.Height = y + chartGap
	var b bytes.Buffer
	err := chartTemplate.Execute(&b, chart)
	return b.Bytes(), err
}
