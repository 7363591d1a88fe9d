; Headings of both forms. The engine finds where their sections end.

(atx_heading (atx_h1_marker) @level.1 heading_content: (_) @name) @definition.heading
(atx_heading (atx_h2_marker) @level.2 heading_content: (_) @name) @definition.heading
(atx_heading (atx_h3_marker) @level.3 heading_content: (_) @name) @definition.heading
(atx_heading (atx_h4_marker) @level.4 heading_content: (_) @name) @definition.heading
(atx_heading (atx_h5_marker) @level.5 heading_content: (_) @name) @definition.heading
(atx_heading (atx_h6_marker) @level.6 heading_content: (_) @name) @definition.heading

(setext_heading heading_content: (paragraph (inline) @name) (setext_h1_underline) @level.1) @definition.heading
(setext_heading heading_content: (paragraph (inline) @name) (setext_h2_underline) @level.2) @definition.heading
