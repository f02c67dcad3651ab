/**
 * Cells of the IRN paper's Tables 3 to 9. The default case is a row of each table and stands here once, in Table 3.
 * Times are in milliseconds; the paper has four decimals of a second.
 * Source: [IRN] appendix A.
 */
import { assert } from '../../core/base/assert.ts'
import type { Control } from './default-case.ts'

type Metric = readonly [irn: number, overIrnPfc: number, overRocePfc: number]
type Row = readonly [table: number, setting: string, control: string, slowdown: Metric, fctMs: Metric, p99FctMs: Metric]

/** All readings of TIMELY share its rows, and controls that are not in the tables those without control. */
export const printedControl = (control: Control): 'none' | 'timely' | 'dcqcn' =>
  control.startsWith('timely') ? 'timely' : control === 'dcqcn' ? 'dcqcn' : 'none'

/** Number of the table that has a setting; undefined if none has it. */
export function printedTable(setting: string): number | undefined {
  return CELLS.find(([, own]) => own === setting)?.[0]
}

/** The printed values of a setting under a control, by the number of the metric in METRICS and in its unit. */
export function printedValues(setting: string, control: Control, metric: number): Metric {
  const row = CELLS.find(([, own, ofControl]) => own === setting && ofControl === printedControl(control))
  assert(row !== undefined, `the IRN paper has no setting ${setting}`)
  const [, , , ...metrics] = row
  return metrics[metric]!
}

const CELLS: readonly Row[] = [
  [3, 'default', 'none', [8.24, 0.513, 0.269], [0.9, 0.64, 0.35], [15.3, 0.612, 0.301]],
  [3, 'default', 'timely', [4.73, 0.995, 0.626], [1.2, 0.976, 0.625], [18.5, 0.968, 0.594]],
  [3, 'default', 'dcqcn', [5.19, 1.009, 0.484], [1, 1.005, 0.509], [20.7, 0.966, 0.453]],
  [3, '30-percent', 'none', [1.85, 0.99, 0.335], [0.2, 1, 0.743], [2.4, 0.995, 0.852]],
  [3, '30-percent', 'timely', [1.7, 0.996, 0.89], [0.3, 0.993, 0.756], [5.9, 0.999, 0.789]],
  [3, '30-percent', 'dcqcn', [1.69, 1.003, 0.904], [0.2, 1.005, 0.909], [2.9, 1.01, 0.936]],
  [3, '50-percent', 'none', [3.38, 0.868, 0.186], [0.3, 0.931, 0.344], [4.6, 0.93, 0.335]],
  [3, '50-percent', 'timely', [2.55, 0.996, 0.801], [0.6, 0.993, 0.755], [10.1, 0.989, 0.776]],
  [3, '50-percent', 'dcqcn', [2.65, 1.001, 0.746], [0.4, 1, 0.771], [5.7, 1.015, 0.626]],
  [3, '90-percent', 'none', [14.03, 0.483, 0.359], [1.9, 0.572, 0.475], [33.4, 0.484, 0.468]],
  [3, '90-percent', 'timely', [7.84, 0.93, 0.501], [1.9, 0.868, 0.518], [32.1, 0.761, 0.487]],
  [3, '90-percent', 'dcqcn', [8.13, 1.004, 0.534], [1.9, 0.99, 0.592], [46.4, 0.964, 0.697]],
  [4, '10-gbps', 'none', [9.41, 0.371, 0.17], [3.5, 0.523, 0.309], [59.5, 0.458, 0.274]],
  [4, '10-gbps', 'timely', [5.45, 0.967, 0.72], [3.9, 0.924, 0.637], [61.6, 0.903, 0.62]],
  [4, '10-gbps', 'dcqcn', [5.88, 0.973, 0.695], [4, 0.929, 0.681], [80.9, 0.954, 0.688]],
  [4, '100-gbps', 'none', [7.92, 0.629, 0.408], [0.4, 0.728, 0.476], [6.4, 0.705, 0.413]],
  [4, '100-gbps', 'timely', [4.84, 0.988, 0.385], [0.6, 0.986, 0.489], [9.1, 0.964, 0.432]],
  [4, '100-gbps', 'dcqcn', [5.44, 1.011, 0.424], [0.7, 1.022, 0.597], [18.7, 1.051, 0.658]],
  [5, '128-hosts', 'none', [8.93, 0.497, 0.25], [1.1, 0.601, 0.335], [16.6, 0.515, 0.292]],
  [5, '128-hosts', 'timely', [4.98, 1, 0.613], [1.3, 0.993, 0.642], [19.5, 0.985, 0.609]],
  [5, '128-hosts', 'dcqcn', [5.36, 1.01, 0.479], [1.1, 0.998, 0.503], [23.4, 0.992, 0.481]],
  [5, '250-hosts', 'none', [8.28, 0.486, 0.258], [1, 0.601, 0.322], [14.9, 0.547, 0.272]],
  [5, '250-hosts', 'timely', [4.48, 1, 0.651], [1.2, 0.996, 0.664], [17.7, 0.994, 0.631]],
  [5, '250-hosts', 'dcqcn', [4.87, 1.015, 0.477], [1, 1.01, 0.491], [21.1, 1.012, 0.445]],
  [6, 'large-flows', 'none', [18.93, 0.313, 0.213], [11.6, 0.334, 0.231], [42.8, 0.17, 0.156]],
  [6, 'large-flows', 'timely', [18.91, 0.955, 0.584], [12.3, 0.957, 0.576], [33.7, 0.919, 0.496]],
  [6, 'large-flows', 'dcqcn', [16.06, 0.993, 0.6], [10.9, 0.988, 0.553], [55.7, 0.974, 0.647]],
  [7, 'buffer-60-kb', 'none', [9.58, 0.285, 0.354], [1.4, 0.371, 0.454], [22.5, 0.351, 0.395]],
  [7, 'buffer-60-kb', 'timely', [5.75, 0.723, 0.68], [1.3, 0.597, 0.565], [21.3, 0.596, 0.579]],
  [7, 'buffer-60-kb', 'dcqcn', [6.81, 0.848, 0.821], [2.2, 0.829, 0.813], [46.4, 0.883, 0.876]],
  [7, 'buffer-120-kb', 'none', [8.87, 0.343, 0.32], [1.2, 0.41, 0.411], [19.1, 0.34, 0.353]],
  [7, 'buffer-120-kb', 'timely', [4.99, 0.863, 0.603], [1.2, 0.821, 0.578], [19.2, 0.794, 0.562]],
  [7, 'buffer-120-kb', 'dcqcn', [5.68, 0.951, 0.689], [1.4, 0.945, 0.697], [32.4, 0.932, 0.692]],
  [7, 'buffer-480-kb', 'none', [8.63, 0.853, 0.223], [0.8, 0.953, 0.315], [12.7, 0.945, 0.285]],
  [7, 'buffer-480-kb', 'timely', [4.66, 1.005, 0.621], [1.2, 1.004, 0.657], [18.5, 1.004, 0.614]],
  [7, 'buffer-480-kb', 'dcqcn', [4.99, 1.003, 0.31], [1, 1.001, 0.442], [20.6, 0.955, 0.405]],
  [8, 'rto-high-640-us', 'none', [8.38, 0.522, 0.274], [1, 0.675, 0.369], [16.2, 0.649, 0.319]],
  [8, 'rto-high-640-us', 'timely', [4.77, 1.003, 0.631], [1.2, 0.987, 0.631], [18.8, 0.987, 0.605]],
  [8, 'rto-high-640-us', 'dcqcn', [5.23, 1.018, 0.488], [1, 0.995, 0.503], [20.6, 0.964, 0.452]],
  [8, 'rto-high-1280-us', 'none', [8.74, 0.544, 0.285], [1.1, 0.779, 0.426], [19.4, 0.776, 0.382]],
  [8, 'rto-high-1280-us', 'timely', [4.79, 1.008, 0.634], [1.2, 1.007, 0.644], [19.4, 1.016, 0.623]],
  [8, 'rto-high-1280-us', 'dcqcn', [5.24, 1.02, 0.489], [1, 1.007, 0.51], [20.7, 0.968, 0.453]],
  [9, 'rto-low-n-10', 'none', [8.26, 0.515, 0.27], [1, 0.651, 0.356], [15.7, 0.629, 0.31]],
  [9, 'rto-low-n-10', 'timely', [4.75, 0.999, 0.628], [1.2, 0.983, 0.629], [18.7, 0.979, 0.6]],
  [9, 'rto-low-n-10', 'dcqcn', [5.13, 0.997, 0.478], [1, 0.989, 0.5], [20.8, 0.974, 0.456]],
  [9, 'rto-low-n-15', 'none', [8.25, 0.514, 0.27], [1, 0.653, 0.357], [15.4, 0.616, 0.303]],
  [9, 'rto-low-n-15', 'timely', [4.72, 0.992, 0.624], [1.2, 0.981, 0.628], [18.7, 0.981, 0.602]],
  [9, 'rto-low-n-15', 'dcqcn', [5.22, 1.015, 0.487], [1, 1.019, 0.516], [21.8, 1.019, 0.477]],
]
