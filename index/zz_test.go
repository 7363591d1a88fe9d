package index
import ("testing";"os";"path/filepath";"io/fs";"fmt";"time")
func BenchmarkPy(b *testing.B){ run(b,"/root/.pyenv/versions/3.11.7/lib/python3.11",".py") }
func BenchmarkMd(b *testing.B){ run(b,"/tmp/trees",".md") }
func run(b *testing.B, root, ext string){
 files:=map[string][]byte{}
 n:=0
 filepath.WalkDir(root,func(p string,d fs.DirEntry,e error)error{ if e==nil&&filepath.Ext(p)==ext&&!d.IsDir(){ s,_:=os.ReadFile(p); if n+len(s) < 40<<20 {files[p]=s; n+=len(s)}}; return nil})
 for b.Loop(){
 c0:=cpuSeconds(); var worst time.Duration; wp:=""
 for p,s:=range files{ t0:=time.Now(); Build(p,s); if d:=time.Since(t0); d>worst{worst=d;wp=p} }
 c1:=cpuSeconds()
 for p,s:=range files{ ParseOnly(p,s) }
 c2:=cpuSeconds()
 fmt.Println(ext,len(files),n,"build cpu",c1-c0,"parse cpu",c2-c1,"ratio",(c1-c0)/(c2-c1),"worst",worst,wp)
 t0:=time.Now(); Check(); fmt.Println("check",time.Since(t0))
 }
}
func TestCheckTime(t *testing.T){ for _,l:=range languages { t0:=time.Now(); _,err:=l.load(); fmt.Println(l.name,time.Since(t0),err)} }
