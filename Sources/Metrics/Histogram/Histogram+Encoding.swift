extension HistogramReading {
    /// HdrHistogram V2 compressed, base64: what stands in report.json as `histogram`.
    package var encoded: String { HdrEncoding.encode(self) }
}

extension Histogram {
    /// A histogram out of its encoding. Minimum, maximum and sum are those of the cells: use
    /// `restore` when the exact ones are known.
    package init(encoded text: String) throws(HistogramEncodingError) {
        var cells: [(index: Int, count: UInt64)] = []
        try HdrEncoding.decode(text) { cells.append(($0, $1)) }
        self.init(cells: cells)
    }
}

extension PackedHistogram {
    /// A histogram out of its encoding, as for `Histogram`.
    package init(encoded text: String) throws(HistogramEncodingError) {
        self.init(try Histogram(encoded: text))
    }
}
