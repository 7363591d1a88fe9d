import com.sun.source.util.JavacTask;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.File;
import java.util.List;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Reads paths, one a line; writes for each the first error of javac's parser, or line 0. */
public class Parse {
  public static void main(String[] args) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String path; (path = in.readLine()) != null; ) {
      DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
      StandardJavaFileManager files = compiler.getStandardFileManager(found, null, null);
      JavacTask task = (JavacTask) compiler.getTask(null, files, found, List.of("-proc:none"), null,
          files.getJavaFileObjects(new File(path)));
      task.parse();
      long line = 0;
      String message = "";
      for (Diagnostic<? extends JavaFileObject> d : found.getDiagnostics()) {
        if (d.getKind() == Diagnostic.Kind.ERROR && line == 0) {
          line = Math.max(1, d.getLineNumber());
          message = d.getMessage(null).replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\s+", " ");
        }
      }
      System.out.println("{\"line\": " + line + ", \"message\": \"" + message + "\"}");
      files.close();
    }
  }
}
