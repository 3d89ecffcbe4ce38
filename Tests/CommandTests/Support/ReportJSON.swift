import Foundation

/// A report read by somebody who knows nothing of the code that wrote it: `JSONSerialization` and
/// paths with dots. Array elements are named by their index.
struct ReportJSON {
    let root: [String: Any]

    init(path: String) throws {
        try self.init(bytes: Array(Data(contentsOf: URL(fileURLWithPath: path))))
    }

    init(text: String) throws {
        try self.init(bytes: Array(text.utf8))
    }

    private init(bytes: [UInt8]) throws {
        guard let root = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        else {
            throw ProcessFailure(description: "the report is not an object")
        }
        self.root = root
    }

    /// Nil when there is nothing at this path.
    func value(_ path: String) -> Any? {
        path.split(separator: ".").reduce(root as Any?) { part, name in
            if let object = part as? [String: Any] { return object[String(name)] }
            if let array = part as? [Any], let index = Int(name), array.indices.contains(index) {
                return array[index]
            }
            return nil
        }
    }

    func has(_ path: String) -> Bool { value(path) != nil }

    func int(_ path: String) throws -> Int { try typed(path) }

    func double(_ path: String) throws -> Double { try typed(path) }

    func string(_ path: String) throws -> String { try typed(path) }

    func bool(_ path: String) throws -> Bool { try typed(path) }

    /// Counts by name, such as `requests.answered`.
    func counts(_ path: String) throws -> [String: Int] { try typed(path) }

    func dictionary(_ path: String) throws -> [String: Any] { try typed(path) }

    func array(_ path: String) throws -> [[String: Any]] { try typed(path) }

    private func typed<T>(_ path: String) throws -> T {
        guard let found = value(path) else {
            throw ProcessFailure(description: "the report has no \(path)")
        }
        guard let typed = found as? T else {
            throw ProcessFailure(description: "\(path) is \(found), not of type \(T.self)")
        }
        return typed
    }
}
