/// What an OGC service answers instead of what was asked for: an `ows:ExceptionReport`, or the
/// `ServiceExceptionReport` of a WMS.
package struct ServiceException: Sendable, Hashable, CustomStringConvertible {
    /// `TileOutOfRange`, `InvalidParameterValue`, …; nil when the report gives none.
    package var code: String?
    /// The parameter that is meant.
    package var locator: String?
    package var text: String?

    /// Reads the first exception of a report.
    ///
    /// - Throws: when the text is no such report.
    package static func read(_ bytes: [UInt8]) throws(DocumentRemark) -> ServiceException {
        let root = try XMLReader.parse(
            bytes, keeping: ["Exception", "ExceptionText", "ServiceException"])
        guard ["ExceptionReport", "ServiceExceptionReport"].contains(root.name) else {
            throw root.remark("this is no report of exceptions")
        }
        guard let first = root.children.first else { return ServiceException() }
        let text = first.text(of: "ExceptionText") ?? first.text
        return ServiceException(
            code: first.attribute("exceptionCode") ?? first.attribute("code"),
            locator: first.attribute("locator"), text: text.isEmpty ? nil : text)
    }

    package var description: String {
        let what = [code, locator].compactMap { $0.map { quoted($0) } }.joined(separator: " ")
        return "an exception of the service" + (what.isEmpty ? "" : ", \(what)")
            + (text.map { ": " + quoted($0) } ?? "")
    }
}
