/**
 * What S3 printed: the cells of its Tables 3 to 9, of which the default case is a row of each.
 * Shape: by setting and congestion control the three metrics in the order of METRICS; of each IRN's value (slowdown; times
 * in milliseconds here, where the paper has four decimals of a second), its ratio to IRN with PFC and to RoCE with PFC.
 * Source: S3 appendix A.
 */
import { assert } from '../../base/assert.ts'
import { MS } from '../../base/index.ts'
import type { Control } from './default-case.ts'

export type PrintedRows = readonly (readonly [irn: number, overIrnPfc: number, overRocePfc: number])[]

/** Controls of the tables; TIMELY's rows are those of any reading of it. */
type PrintedControl = 'none' | 'timely' | 'dcqcn'

export interface PrintedSetting {
  readonly table: number
  readonly rows: Readonly<Record<PrintedControl, PrintedRows>>
}

/** The default case of section 4.1; the other settings differ from it in what their key names. */
const DEFAULT: PrintedSetting['rows'] = {
  none: [
    [8.24, 0.513, 0.269],
    [0.9, 0.64, 0.35],
    [15.3, 0.612, 0.301],
  ],
  timely: [
    [4.73, 0.995, 0.626],
    [1.2, 0.976, 0.625],
    [18.5, 0.968, 0.594],
  ],
  dcqcn: [
    [5.19, 1.009, 0.484],
    [1, 1.005, 0.509],
    [20.7, 0.966, 0.453],
  ],
}

export const DEFAULT_SETTING = '70 %'

const SETTINGS: Readonly<Record<string, PrintedSetting>> = {
  [DEFAULT_SETTING]: { table: 3, rows: DEFAULT },
  '30 %': {
    table: 3,
    rows: {
      none: [
        [1.85, 0.99, 0.335],
        [0.2, 1, 0.743],
        [2.4, 0.995, 0.852],
      ],
      timely: [
        [1.7, 0.996, 0.89],
        [0.3, 0.993, 0.756],
        [5.9, 0.999, 0.789],
      ],
      dcqcn: [
        [1.69, 1.003, 0.904],
        [0.2, 1.005, 0.909],
        [2.9, 1.01, 0.936],
      ],
    },
  },
  '50 %': {
    table: 3,
    rows: {
      none: [
        [3.38, 0.868, 0.186],
        [0.3, 0.931, 0.344],
        [4.6, 0.93, 0.335],
      ],
      timely: [
        [2.55, 0.996, 0.801],
        [0.6, 0.993, 0.755],
        [10.1, 0.989, 0.776],
      ],
      dcqcn: [
        [2.65, 1.001, 0.746],
        [0.4, 1, 0.771],
        [5.7, 1.015, 0.626],
      ],
    },
  },
  '90 %': {
    table: 3,
    rows: {
      none: [
        [14.03, 0.483, 0.359],
        [1.9, 0.572, 0.475],
        [33.4, 0.484, 0.468],
      ],
      timely: [
        [7.84, 0.93, 0.501],
        [1.9, 0.868, 0.518],
        [32.1, 0.761, 0.487],
      ],
      dcqcn: [
        [8.13, 1.004, 0.534],
        [1.9, 0.99, 0.592],
        [46.4, 0.964, 0.697],
      ],
    },
  },
  '10 Gb/s': {
    table: 4,
    rows: {
      none: [
        [9.41, 0.371, 0.17],
        [3.5, 0.523, 0.309],
        [59.5, 0.458, 0.274],
      ],
      timely: [
        [5.45, 0.967, 0.72],
        [3.9, 0.924, 0.637],
        [61.6, 0.903, 0.62],
      ],
      dcqcn: [
        [5.88, 0.973, 0.695],
        [4, 0.929, 0.681],
        [80.9, 0.954, 0.688],
      ],
    },
  },
  '100 Gb/s': {
    table: 4,
    rows: {
      none: [
        [7.92, 0.629, 0.408],
        [0.4, 0.728, 0.476],
        [6.4, 0.705, 0.413],
      ],
      timely: [
        [4.84, 0.988, 0.385],
        [0.6, 0.986, 0.489],
        [9.1, 0.964, 0.432],
      ],
      dcqcn: [
        [5.44, 1.011, 0.424],
        [0.7, 1.022, 0.597],
        [18.7, 1.051, 0.658],
      ],
    },
  },
  '128 hosts': {
    table: 5,
    rows: {
      none: [
        [8.93, 0.497, 0.25],
        [1.1, 0.601, 0.335],
        [16.6, 0.515, 0.292],
      ],
      timely: [
        [4.98, 1, 0.613],
        [1.3, 0.993, 0.642],
        [19.5, 0.985, 0.609],
      ],
      dcqcn: [
        [5.36, 1.01, 0.479],
        [1.1, 0.998, 0.503],
        [23.4, 0.992, 0.481],
      ],
    },
  },
  '250 hosts': {
    table: 5,
    rows: {
      none: [
        [8.28, 0.486, 0.258],
        [1, 0.601, 0.322],
        [14.9, 0.547, 0.272],
      ],
      timely: [
        [4.48, 1, 0.651],
        [1.2, 0.996, 0.664],
        [17.7, 0.994, 0.631],
      ],
      dcqcn: [
        [4.87, 1.015, 0.477],
        [1, 1.01, 0.491],
        [21.1, 1.012, 0.445],
      ],
    },
  },
  '500 KB to 5 MB': {
    table: 6,
    rows: {
      none: [
        [18.93, 0.313, 0.213],
        [11.6, 0.334, 0.231],
        [42.8, 0.17, 0.156],
      ],
      timely: [
        [18.91, 0.955, 0.584],
        [12.3, 0.957, 0.576],
        [33.7, 0.919, 0.496],
      ],
      dcqcn: [
        [16.06, 0.993, 0.6],
        [10.9, 0.988, 0.553],
        [55.7, 0.974, 0.647],
      ],
    },
  },
  '60 KB': {
    table: 7,
    rows: {
      none: [
        [9.58, 0.285, 0.354],
        [1.4, 0.371, 0.454],
        [22.5, 0.351, 0.395],
      ],
      timely: [
        [5.75, 0.723, 0.68],
        [1.3, 0.597, 0.565],
        [21.3, 0.596, 0.579],
      ],
      dcqcn: [
        [6.81, 0.848, 0.821],
        [2.2, 0.829, 0.813],
        [46.4, 0.883, 0.876],
      ],
    },
  },
  '120 KB': {
    table: 7,
    rows: {
      none: [
        [8.87, 0.343, 0.32],
        [1.2, 0.41, 0.411],
        [19.1, 0.34, 0.353],
      ],
      timely: [
        [4.99, 0.863, 0.603],
        [1.2, 0.821, 0.578],
        [19.2, 0.794, 0.562],
      ],
      dcqcn: [
        [5.68, 0.951, 0.689],
        [1.4, 0.945, 0.697],
        [32.4, 0.932, 0.692],
      ],
    },
  },
  '480 KB': {
    table: 7,
    rows: {
      none: [
        [8.63, 0.853, 0.223],
        [0.8, 0.953, 0.315],
        [12.7, 0.945, 0.285],
      ],
      timely: [
        [4.66, 1.005, 0.621],
        [1.2, 1.004, 0.657],
        [18.5, 1.004, 0.614],
      ],
      dcqcn: [
        [4.99, 1.003, 0.31],
        [1, 1.001, 0.442],
        [20.6, 0.955, 0.405],
      ],
    },
  },
  '640 us': {
    table: 8,
    rows: {
      none: [
        [8.38, 0.522, 0.274],
        [1, 0.675, 0.369],
        [16.2, 0.649, 0.319],
      ],
      timely: [
        [4.77, 1.003, 0.631],
        [1.2, 0.987, 0.631],
        [18.8, 0.987, 0.605],
      ],
      dcqcn: [
        [5.23, 1.018, 0.488],
        [1, 0.995, 0.503],
        [20.6, 0.964, 0.452],
      ],
    },
  },
  '1280 us': {
    table: 8,
    rows: {
      none: [
        [8.74, 0.544, 0.285],
        [1.1, 0.779, 0.426],
        [19.4, 0.776, 0.382],
      ],
      timely: [
        [4.79, 1.008, 0.634],
        [1.2, 1.007, 0.644],
        [19.4, 1.016, 0.623],
      ],
      dcqcn: [
        [5.24, 1.02, 0.489],
        [1, 1.007, 0.51],
        [20.7, 0.968, 0.453],
      ],
    },
  },
  'N = 10': {
    table: 9,
    rows: {
      none: [
        [8.26, 0.515, 0.27],
        [1, 0.651, 0.356],
        [15.7, 0.629, 0.31],
      ],
      timely: [
        [4.75, 0.999, 0.628],
        [1.2, 0.983, 0.629],
        [18.7, 0.979, 0.6],
      ],
      dcqcn: [
        [5.13, 0.997, 0.478],
        [1, 0.989, 0.5],
        [20.8, 0.974, 0.456],
      ],
    },
  },
  'N = 15': {
    table: 9,
    rows: {
      none: [
        [8.25, 0.514, 0.27],
        [1, 0.653, 0.357],
        [15.4, 0.616, 0.303],
      ],
      timely: [
        [4.72, 0.992, 0.624],
        [1.2, 0.981, 0.628],
        [18.7, 0.981, 0.602],
      ],
      dcqcn: [
        [5.22, 1.015, 0.487],
        [1, 1.019, 0.516],
        [21.8, 1.019, 0.477],
      ],
    },
  },
}

/** The setting of that name: "90 %", "10 Gb/s", "N = 15". */
export function printedSetting(name: string): PrintedSetting {
  const setting = SETTINGS[name]
  assert(setting !== undefined, `S3 has no setting ${name}`)
  return setting
}

/** The three metrics of a setting under a control, times in picoseconds. */
export function printedRows(name: string, control: Control): PrintedRows {
  const { rows } = printedSetting(name)
  const ofControl = rows[control.startsWith('timely') ? 'timely' : control === 'dcqcn' ? 'dcqcn' : 'none']
  return ofControl.map(([irn, ...ratios], metric) => [metric === 0 ? irn : irn * MS, ...ratios])
}
